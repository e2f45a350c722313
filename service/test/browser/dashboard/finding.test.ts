// Tests search and filters of the list, cards on a phone, the downloaded file, and the palette by keyboard.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { busyTenant, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount } from '../../harness/pages/shown.ts'

const busy = await busyTenant()
const browser = await testBrowser()
const { base } = busy.service
const at = (path: string) => `${base}/dashboard/${busy.tenant}/test${path}`
const key = await busy.service.key(busy.tenant)
const body = { template: 'age_over_18', metadata: { order: 'Order 1024' } }
const ordered: string = (await busy.service.call('POST', '/v1/verifications', { key, body })).json.id

test('an order is found by its number; the list is filtered and downloaded as a file', async () => {
  const { page, complaints } = await openPage(browser, busy, { width: 1440 })
  await signInAt(page, base, busy.owner.email)
  complaints.splice(0)
  await page.goto(at('/verifications'))
  await settled(page)
  await page.getByLabel('Search', { exact: true }).fill('Order 1024')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
  await page.locator(`tbody a[href*="${ordered}"]`).waitFor()
  await page.getByRole('cell', { name: 'order Order 1024', exact: true }).waitFor()
  // The text is in no address, and stays with the page when it is left and loaded again.
  await page.locator(`tbody a[href*="${ordered}"]`).click()
  await page.waitForURL(new RegExp(`/verifications/${ordered}$`))
  await page.goBack()
  await page.reload()
  await settled(page)
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
  await page.getByRole('button', { name: 'Remove filter: Search: Order 1024' }).waitFor()
  const [found] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export (CSV)' }).click(),
  ])
  assert.match(found.suggestedFilename(), /^vidimus-verifications-test-.*\.csv$/)
  const lines = (await readFile(await found.path(), 'utf8')).trimEnd().split('\r\n')
  assert.deepEqual([lines.length, lines[1]?.startsWith(ordered)], [2, true])
  assert.ok(addresses.some((address) => address.endsWith('/verifications/export')))
  assert.deepEqual(
    [...addresses, page.url()].filter((address) => /1024/.test(decodeURIComponent(address))),
    [],
  )
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length > 1)
  await page.getByLabel('Search', { exact: true }).fill('1024')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
  await page.locator(`tbody a[href*="${ordered}"]`).waitFor()
  await page.getByLabel('Search', { exact: true }).fill('102')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByText('or a number in it').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length > 1)
  await page.getByText('More filters').click()
  await page.getByLabel('Reason').selectOption('wallet_declined')
  await page.waitForURL(/reason=wallet_declined/)
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
  await assertAccessible(page)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export (CSV)' }).click(),
  ])
  const text = await readFile(await download.path(), 'utf8')
  assert.ok(text.includes(busy.failed) && !text.includes(busy.completed))

  // The view is saved under a name, without the search text.
  await page.goto(at('/verifications?reason=wallet_declined&text=secret'))
  await page.waitForURL(/\?reason=wallet_declined$/)
  await settled(page)
  assert.equal(await page.getByLabel('Search', { exact: true }).inputValue(), 'secret')
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByLabel('View name').fill('Declined')
  await page.locator('dialog[open]').getByRole('button', { name: 'Save', exact: true }).click()
  await page.goto(at('/verifications'))
  await settled(page)
  const views = page.getByRole('list', { name: 'Saved views' })
  await views.getByRole('link', { name: 'Declined' }).click()
  await page.waitForURL(/\?reason=wallet_declined$/)
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
  await assertAccessible(page)
  await views.getByRole('button', { name: 'Remove the view “Declined”' }).click()
  await assertCount(views, 0)

  // The use of a key leads to the verifications that it created.
  await page.goto(at('/keys'))
  await page.getByRole('link', { name: 'Verifications created with “test”' }).last().click()
  await page.waitForURL(/\/verifications\?actor=key_/)
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length > 0)
  assert.deepEqual(complaints, [])
  await page.context().close()
})

test('on a phone the list is cards, in German and dark', async () => {
  const { page } = await openPage(browser, busy, { width: 390, dark: true, locale: 'de-DE' })
  await signInAt(page, base, busy.viewer.email)
  await page.goto(at('/verifications'))
  await settled(page)
  await assertCount(page.locator('table'), 0)
  await assertCount(page.getByLabel('Status', { exact: true }), 1)
  assert.equal(await page.getByLabel('Status', { exact: true }).isVisible(), false)
  await page.getByText('Filter', { exact: true }).click()
  await page.getByLabel('Status', { exact: true }).waitFor()
  await assertAccessible(page)
  await page.getByText('Filter', { exact: true }).click()
  await page.locator('li', { has: page.locator(`a[href*="${busy.failed}"]`) }).click()
  await page.waitForURL(new RegExp(busy.failed))
  await page.context().close()
})

for (const [locale, wanted, title] of [
  ['en-GB', 'audi', 'Audit trail'],
  ['de-DE', 'proto', 'Protokoll'],
] as const) {
  test(`the palette works by keyboard (${locale})`, async () => {
    const { page } = await openPage(browser, busy, { locale })
    // The palette is loaded in advance, so that text that is typed at once is not lost.
    await Promise.all([page.waitForRequest(/\/palette-/), signInAt(page, base, busy.owner.email)])
    const box = page.getByRole('combobox').last()
    await page.keyboard.press('Control+k')
    await box.waitFor()
    await page.locator('dialog[open] [role=option]').first().waitFor()
    await assertAccessible(page)
    await page.keyboard.type(wanted)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: title, exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    await box.waitFor()
    await page.keyboard.type(ordered)
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`/verifications/${ordered}$`))
    await page.keyboard.press('Control+k')
    await box.waitFor()
    await page.keyboard.type('Order 1024')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/verifications$/)
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    await page.locator(`tbody a[href*="${ordered}"]`).waitFor()
    await page.keyboard.press('Control+k')
    await box.waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => document.querySelector('dialog[open]') === null)
    await page.context().close()
  })
}
