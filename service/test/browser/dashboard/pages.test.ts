// Tests every page in both languages and themes, wide and narrow: accessible, within its content policy and the window.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { busyTenant, follow, type Look, openPage, pagesOf, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertText } from '../../harness/pages/shown.ts'

const busy = await busyTenant()
const browser = await testBrowser()
const { base } = busy.service

/** `live` is empty: there every page shows its empty state. */
const LOOKS: readonly (Look & { readonly environment: 'test' | 'live' })[] = [
  { environment: 'test', locale: 'en-GB' },
  { environment: 'live', locale: 'en-GB' },
  { environment: 'test', locale: 'de-DE', dark: true, width: 390 },
]

/** The first run opens pages by address, the others by links. */
async function visit(page: Page, { environment, locale }: (typeof LOOKS)[number], path: string): Promise<void> {
  const address = `/dashboard/${busy.tenant}/${environment}${path}`
  const isOpened = environment === 'test' && locale === 'en-GB'
  // Moving from one verification to another loads no page.
  const isAlike = path === `/verifications/${busy.portrait}`
  if (!isOpened && !isAlike && path !== '') return follow(page, address)
  await page.goto(`${base}${address}`)
  await settled(page)
}

for (const look of LOOKS) {
  const { environment } = look
  const name = [environment, look.locale, look.dark === true ? 'dark' : 'light', look.width ?? 'wide'].join(' ')
  test(`every page is accessible and fits the window: ${name}`, async () => {
    const { page, complaints } = await openPage(browser, busy, look)
    await page.goto(`${base}/dashboard/sign-in`)
    await page.waitForSelector('h1')
    await assertAccessible(page)
    await signInAt(page, base, busy.owner.email)
    assert.equal(await page.getAttribute('html', 'lang'), look.locale?.slice(0, 2))
    assert.equal(await page.getAttribute('html', 'data-theme'), look.dark === true ? 'dark' : 'light')
    complaints.splice(0)
    for (const [title, path] of pagesOf(busy)) {
      if (environment === 'live' && /^\/(?:verifications|webhooks)\//.test(path)) continue
      await visit(page, look, path)
      await assertAccessible(page)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      assert.ok(overflow <= 0, `${title} is ${overflow} pixels wider than the window`)
    }
    assert.deepEqual(complaints, [])
    await page.context().close()
  })
}

test('viewers see the names of claims without values, and no button that changes anything', async () => {
  const { page, complaints } = await openPage(browser, busy, { locale: 'en-GB', dark: true })
  await signInAt(page, base, busy.viewer.email)
  complaints.splice(0)
  await page.goto(`${base}/dashboard/${busy.tenant}/test/verifications/${busy.completed}`)
  for (const name of ['Given name', 'Family name', 'Date of birth'])
    await page.locator('#main li', { hasText: name }).first().waitFor()
  const answer = await page.request.get(
    `${base}/dashboard/api/tenants/${busy.tenant}/test/verifications/${busy.completed}`,
  )
  assert.equal((await answer.json()).claims, null)
  await page.getByRole('button', { name: 'More actions' }).click()
  assert.deepEqual(await page.getByRole('menuitem').allInnerTexts(), ['Verify the receipt'])
  await assertAccessible(page)
  const judged = new Set(['/keys', '/devices', '/templates', '/webhooks', '/team', '/audit'])
  for (const [title, path] of pagesOf(busy)) {
    const address = `/dashboard/${busy.tenant}/test${path}`
    // Moving from one verification to another loads no page.
    if (title === 'portrait') await page.goto(`${base}${address}`).then(() => settled(page))
    else await follow(page, address)
    if (!judged.delete(path)) continue
    // A button that shows truncated text changes nothing.
    assert.equal(await page.locator('main button:not([aria-expanded])').count(), 0, path)
    await assertAccessible(page)
  }
  assert.deepEqual([...judged], [])
  assert.deepEqual(complaints, [], 'no page requests data that a viewer may not see')
  await page.context().close()
})

test('the sign-in page loads at most 130 KB of compressed JavaScript and one language; files with a hash may be cached', async () => {
  const { page } = await openPage(browser, busy)
  const sizes: number[] = []
  page.on('response', async (response) => {
    if (!response.url().endsWith('.js')) return
    assert.match(response.headers()['cache-control'] ?? '', /immutable/)
    assert.equal(response.headers()['content-encoding'], 'gzip')
    sizes.push(Number(response.headers()['content-length']))
  })
  const total = () => sizes.reduce((sum, size) => sum + size, 0)
  await page.goto(`${base}/dashboard/sign-in`)
  await page.waitForSelector('h1')
  assert.ok(total() > 50_000 && total() <= 130_000, `${total()} bytes`)
  sizes.splice(0)
  await signInAt(page, base, busy.owner.email)
  await settled(page)
  assert.ok(total() <= 150_000, `${total()} bytes with the overview`)
  await page.context().close()
})

test('code and words of a page load while the session is still being checked', async () => {
  const { page } = await openPage(browser, busy)
  await signInAt(page, base, busy.owner.email)
  const requested = page.waitForRequest(/\/dashboard\/assets\/keys-[^/]+\.js$/)
  await page.route('**/dashboard/api/me', async (route) => {
    await requested
    await route.continue()
  })
  await page.goto(`${base}/dashboard/${busy.tenant}/test/keys`)
  await settled(page)
  await assertText(page.locator('#main h1'), 'API keys')
  await page.context().close()
})

test('the headers allow nothing inline, no frames, and nothing from other origins', async () => {
  const { headers } = await busy.service.call('GET', '/dashboard')
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe|https?:|\*/)
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.equal(headers['cache-control'], 'no-cache')
  assert.equal((await busy.service.call('GET', '/dashboard/assets/none.js')).status, 404)
  assert.equal(
    (await busy.service.call('GET', '/dashboard/..%2f..%2fpackage.json')).headers['content-type'],
    'text/html; charset=utf-8',
  )
})
