// Tests the overview and usage pages: figures with links to their lists, and recipients of quota alerts.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { runJob } from '../../harness/jobs.ts'
import { assertAccessibleInBothThemes } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { busyTenant, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount } from '../../harness/pages/shown.ts'
import { startReceiver } from '../../harness/webhooks.ts'

const busy = await busyTenant()
await runJob(busy.service.deps, 'count-endings')
const browser = await testBrowser()
const { base } = busy.service
const at = (path: string) => `${base}/dashboard/${busy.tenant}/test${path}`

const EN = { title: 'Overview', chart: 'Verifications', month: '30 days', failed: 'Failed', usage: 'Usage' }
const DE = { title: 'Übersicht', chart: 'Prüfungen', month: '30 Tage', failed: 'Fehlgeschlagen', usage: 'Nutzung' }
const LOOKS = [
  [EN, { locale: 'en-GB', width: 1440 }],
  [DE, { locale: 'de-DE', dark: true, width: 390 }],
] as const

async function assertSound(page: Page): Promise<void> {
  await settled(page)
  await assertAccessibleInBothThemes(page)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  assert.ok(overflow <= 0, `${overflow} pixels too wide`)
}

/** Where the two columns end, unless both end in one line. */
async function unevenEnds(page: Page): Promise<readonly number[]> {
  const cards = await page.locator('main section').evaluateAll((sections) =>
    sections
      .map((section) => section.getBoundingClientRect())
      .filter(({ width }) => width < innerWidth / 2)
      .map(({ left, bottom }) => ({ left, bottom: Math.round(bottom) })),
  )
  const ends = [...Map.groupBy(cards, ({ left }) => left).values()].map((column) =>
    Math.max(...column.map(({ bottom }) => bottom)),
  )
  assert.equal(ends.length, 2)
  return new Set(ends).size === 1 ? [] : ends
}

const bars = (page: Page, many: number) =>
  page.waitForFunction((n) => document.querySelectorAll('section li a[aria-label]').length === n, many)

for (const [words, look] of LOOKS) {
  const name = `${look.locale} ${'dark' in look ? 'dark' : 'light'} ${look.width}`
  test(`the overview shows figures with their links: ${name}`, async () => {
    const { page, complaints } = await openPage(browser, busy, look)
    await signInAt(page, base, busy.owner.email)
    complaints.splice(0)
    await page.goto(at(''))
    await page.getByRole('heading', { name: words.title, exact: true }).waitFor()
    const section = page.locator('section', { has: page.getByRole('heading', { name: words.chart }) })
    await bars(page, 7)
    await page.getByRole('link', { name: words.month }).click()
    await bars(page, 30)
    await assertSound(page)
    if (look.width === 1440) assert.deepEqual(await unevenEnds(page), [])
    // Today's bar: the verifications of this test.
    await section.locator('li a[aria-label]').last().click()
    await page.waitForURL(/verifications\?from=.*to=/)
    await page.locator(`a[href*="${busy.completed}"]`).first().waitFor()
    await assertSound(page)
    await page.goBack()
    await section.getByRole('link', { name: words.failed }).first().click()
    await page.waitForURL(/status=failed&from=/)
    await page.locator(`a[href*="${busy.failed}"]`).first().waitFor()
    await assertCount(page.locator(`a[href*="${busy.completed}"]`), 0)
    await page.goto(at('/usage'))
    await page.getByRole('heading', { name: words.usage, exact: true }).waitFor()
    await bars(page, 30)
    await assertSound(page)
    assert.deepEqual(complaints, [])
    await page.context().close()
  })
}

test('usage by key and device links to their lists', async () => {
  const { page } = await openPage(browser, busy, { width: 1440 })
  await signInAt(page, base, busy.viewer.email)
  await page.goto(at('/usage'))
  await bars(page, 30)
  await page.getByRole('link', { name: 'Staff (dashboard)' }).click()
  await page.waitForURL(/actor=staff/)
  await page.getByRole('heading', { level: 1, name: 'Verifications', exact: true }).waitFor()
  await settled(page)
  await assertCount(page.locator(`a[href*="${busy.completed}"]`), 0)
  await page.goBack()
  await bars(page, 30)
  await page.getByRole('link', { name: 'Bar 3' }).click()
  await page.waitForURL(/actor=[0-9a-f-]{36}/)
  await page.context().close()
})

test('an alert address is saved, used, shown, and removed after a confirmation', async () => {
  const receiver = await startReceiver()
  const { page, complaints } = await openPage(browser, busy, { width: 1440 })
  await signInAt(page, base, busy.owner.email)
  complaints.splice(0)
  await page.goto(at('/usage'))
  await page.getByText('For developers: quota alerts by webhook').click()
  await page.getByLabel('Webhook address').fill(receiver.url)
  for (const share of ['80%', '100%']) await page.getByLabel(`${share} of the daily quota`).uncheck()
  await page.getByText('Choose at least one threshold.').waitFor()
  await page.getByLabel('50% of the daily quota').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved').waitFor()
  const { deps } = busy.service
  await deps.db.query(
    { name: 'test_spend', text: 'update usage_days set created = 10000 where tenant_id = $1 and day = $2' },
    [busy.tenant, new Date(busy.service.clock.now()).toISOString().slice(0, 10)],
  )
  await runJob(deps, 'tell-usage')
  assert.equal(receiver.received.length, 1)
  await page.reload()
  await page.getByText('Reached this month').waitFor()
  await page.getByText('sent', { exact: true }).waitFor()
  await assertSound(page)
  await page.getByRole('button', { name: 'Turn off alerts' }).click()
  await page.locator('dialog[open]').getByRole('button', { name: 'Turn off alerts' }).click()
  await page.waitForFunction(() => document.querySelector('dialog[open]') === null)
  assert.equal(await page.getByLabel('Webhook address').inputValue(), '')
  assert.deepEqual(complaints, [])
  await page.context().close()
})

test('a new tenant sees the first steps, and what usage will show', async () => {
  const { page } = await openPage(browser, busy)
  await signInAt(page, base, busy.owner.email)
  await page.goto(`${base}/dashboard/${busy.tenant}/live`)
  await page.getByRole('heading', { name: 'Get started', exact: true }).waitFor()
  await page.getByText('Create an API key').waitFor()
  await page.goto(`${base}/dashboard/${busy.tenant}/live/usage`)
  await page.getByText('No verifications in the last 30 days').waitFor()
  await page.context().close()
})
