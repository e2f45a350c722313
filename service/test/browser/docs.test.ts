// Tests the docs in a real browser: reading, searching, samples with the reader's key, and calls sent from the page.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { listeningService } from '../harness/listening.ts'
import { assertAccessible } from '../harness/pages/accessible.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { assertCount, assertText } from '../harness/pages/shown.ts'
import { person } from '../harness/staff.ts'

const service = await listeningService()
const { base } = service
const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
const browser = await testBrowser()

interface Reader {
  readonly page: Page
  readonly complaints: readonly string[]
  readonly addresses: readonly string[]
}

async function read(path: string, look: { dark?: boolean; width?: number; cookie?: string } = {}): Promise<Reader> {
  const context = await browser.newContext({
    colorScheme: look.dark === true ? 'dark' : 'light',
    viewport: { width: look.width ?? 1440, height: 900 },
  })
  if (look.cookie !== undefined) {
    const [name = '', value = ''] = look.cookie.split('=')
    await context.addCookies([{ name, value, url: base }])
  }
  const page = await context.newPage()
  const complaints: string[] = []
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML/.test(message.text())) complaints.push(message.text())
  })
  await page.goto(`${base}${path}`)
  await page.waitForSelector('[data-find]:visible')
  return { page, complaints, addresses }
}

async function close({ page, complaints }: Reader): Promise<void> {
  await page.context().close()
  assert.deepEqual(complaints, [])
}

test('every kind of page is accessible and fits the window, wide and light, and dark on a phone', async () => {
  const paths = [
    '',
    '/quickstart',
    '/templates',
    '/api',
    '/api/verifications',
    '/errors',
    '/errors/over_asking',
    '/changelog',
    '/not-a-page',
  ]
  for (const look of [{}, { width: 390, dark: true }]) {
    const reader = await read('/docs', look)
    for (const path of paths) {
      await reader.page.goto(`${base}/docs${path}`)
      await reader.page.waitForSelector('[data-find]:visible')
      await assertAccessible(reader.page)
      const overflow = await reader.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      assert.ok(overflow <= 0, `${path}: ${overflow} pixels wider than the window`)
    }
    await close(reader)
  }
})

test('a page has three columns; a phone shows them one below the other, with the contents folded', async () => {
  const wide = await read('/docs/webhooks')
  const lefts = await wide.page.evaluate(() =>
    ['.side', 'main', '.rail'].map((part) => document.querySelector(part)?.getBoundingClientRect().left ?? -1),
  )
  assert.deepEqual(
    lefts,
    [...lefts].sort((one, other) => one - other),
  )
  assert.equal(new Set(lefts).size, 3)
  await close(wide)
  const phone = await read('/docs/webhooks', { width: 390 })
  assert.ok(await phone.page.locator('.contents').isHidden())
  await phone.page.click('.menu')
  await phone.page.click('.contents a:text-is("Errors")')
  await phone.page.waitForSelector('h1:text-is("Errors")')
  await close(phone)
})

test('the search works by keyboard, and opens its results', async () => {
  const reader = await read('/docs')
  const { page } = reader
  await page.keyboard.press('Control+k')
  await page.waitForSelector('.search[open]')
  await page.keyboard.type('quota midnight')
  await page.waitForSelector('.search li a[href="/docs/errors/quota_exceeded"]')
  await page.fill('.search input', 'idempotency_key_reused')
  await page.waitForSelector('.search li:first-child a[href="/docs/errors/idempotency_key_reused"]')
  await assertAccessible(page)
  await page.keyboard.press('Enter')
  await page.waitForSelector('h1:text-is("idempotency_key_reused")')
  await page.waitForSelector('[data-find]:visible')
  await page.keyboard.press('/')
  await page.keyboard.type('rotate the secret')
  await page.waitForSelector('.search li a[href^="/docs/webhooks#"]')
  await page.fill('.search input', 'webhook secret')
  await page.waitForSelector('.search li:first-child a[href^="/docs/webhooks#"] mark:text-is("secret")')
  await assertAccessible(page)
  await page.fill('.search input', 'delete user data')
  await page.waitForSelector('.search li a[href^="/docs/erasure"] mark')
  await page.fill('.search input', 'idempotncy')
  await page.waitForSelector('.search li:first-child a[href="/docs/api#retries"] mark:text-is("idempotency")')
  await page.fill('.search input', 'zzzzqq')
  await page.waitForSelector('.search li:text("Nothing found")')
  await close(reader)
})

test('a broken link leads to a page with the contents and the search, and shows no part of the link', async () => {
  const reader = await read('/docs/not-a-page')
  const { page } = reader
  const [one, other] = await Promise.all(
    ['not-a-page', 'errors/neither'].map((path) =>
      page.request.get(`${base}/docs/${path}`, { headers: { accept: 'text/html' } }),
    ),
  )
  assert.equal(one?.status(), 404)
  assert.equal(await one?.text(), await other?.text())
  assert.equal((await (await page.request.get(`${base}/docs/not-a-page`)).json()).error.code, 'not_found')
  await assertText(page.locator('h1').first(), 'Page not found')
  await page.click('text=All guides')
  await page.waitForSelector('.cards')
  await close(reader)
})

test('every block of code has a copy button, for mouse and keyboard, with and without a clipboard', async () => {
  const reader = await read('/docs/quickstart')
  const { page } = reader
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: base })
  const blocks = await page.locator('pre.code:visible').count()
  await assertCount(page.locator('.copy:visible'), blocks)
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  const first = page.locator('article .block').first()
  await first.locator('.copy').focus()
  await page.keyboard.press('Enter')
  await first.locator('.copy:text-is("Copied")').waitFor()
  await page.waitForSelector('[role=status]:text-is("Copied")', { state: 'attached' })
  assert.equal(await copied(), await first.locator('code').innerText())
  await first.locator('.copy:text-is("Copy")').waitFor()
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    const covered = await page.$$eval('.block', (all) =>
      all.filter((block) => {
        const [button, code] = ['.copy', 'pre'].map((part) => block.querySelector(part)?.getBoundingClientRect())
        if (button === undefined || code === undefined) return true
        return (
          button.left < code.right && button.right > code.left && button.top < code.bottom && button.bottom > code.top
        )
      }),
    )
    assert.equal(covered.length, 0, `a button lies on code at ${width} px`)
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.click('.sample label:text("Go")')
  await page.click('.sample .bar .copy')
  await page.waitForSelector('.sample .copy:text-is("Copied")')
  assert.match(await copied(), /vidimus\.New\(/)
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await first.locator('.copy').click()
  await first.locator('.copy:text-is("Copied")').waitFor()
  await close(reader)
})

test('a page lists its sections and marks the visible one; a phone has them folded at the top', async () => {
  const wide = await read('/docs/webhooks')
  await wide.page.waitForSelector('.here a[aria-current]')
  const links = wide.page.locator('.here a')
  assert.ok((await links.count()) > 3)
  await links.nth(2).click()
  await wide.page.waitForSelector('.here li:nth-child(3) a[aria-current=location]')
  await assertCount(wide.page.locator('.here a[aria-current]'), 1)
  await close(wide)
  const phone = await read('/docs/webhooks', { width: 390 })
  assert.ok(await phone.page.locator('.here').isHidden())
  await phone.page.click('.here-folded summary')
  await phone.page.click('.here-folded li:nth-child(3) a')
  assert.ok(new URL(phone.page.url()).hash.length > 1)
  await close(phone)
})

test('previous and next lead through guides and API in the order of the contents', async () => {
  const reader = await read('/docs/clients/go')
  const { page } = reader
  for (const title of ['API basics', 'Verifications']) {
    await page.click('.neighbours [rel=next]')
    await page.waitForSelector(`h1:text-is("${title}")`)
  }
  await page.waitForSelector('#getVerification .sample:has-text("Response") pre:has-text("\\"status\\"")')
  await page.click('.neighbours [rel=prev]')
  await page.waitForSelector('h1:text-is("API basics")')
  await close(reader)
})

test('a chosen language applies to all samples', async () => {
  const reader = await read('/docs/quickstart')
  const { page } = reader
  await page.click('.sample label:text("Python")')
  await page.waitForSelector('[data-sample=python]:visible')
  assert.ok(await page.locator('[data-sample=curl]').isHidden())
  await page.goto(`${base}/docs/api/devices`)
  await page.waitForSelector('[data-sample=python]:visible')
  await assertCount(page.locator('[data-sample=curl]:visible'), 0)
  await close(reader)
})

test("a signed-in reader's test key appears in the samples and sends calls; it stays in the tab, out of every address", async () => {
  const { cookie } = await person(service, tenant, 'admin')
  const reader = await read('/docs/api/verifications', { cookie })
  const { page, addresses } = reader
  await page.click('text=Create a test key')
  await page.waitForSelector('[data-key-panel] >> text=Remove it')
  const key = await page.locator('[data-key]').first().innerText()
  assert.match(key, /^vk_test_\w{38}$/)
  const operation = page.locator('#createVerification')
  await operation.locator('.try summary').click()
  await assertAccessible(page)
  await operation.locator('.try form > button').click()
  const answer = operation.locator('output')
  await answer.locator('.good').waitFor()
  await assertText(answer, /^201 · req_/)
  const { id } = JSON.parse(await answer.locator('pre').innerText())
  assert.equal((await service.call('GET', `/v1/verifications/${id}`, { key })).json.status, 'pending')
  assert.equal(await answer.locator('a').getAttribute('href'), `/verify/${id}`)
  await operation.locator('textarea').fill('{"template":"nobody_has_it"}')
  await operation.locator('.try form > button').click()
  await answer.locator('a[href="/docs/errors/unknown_template"]').waitFor()
  await page.reload()
  await page.waitForSelector(`[data-key]:text-is("${key}")`)
  await page.click('text=Remove it')
  assert.equal(await page.evaluate(() => sessionStorage.length), 0)
  for (const address of addresses) assert.ok(!address.includes('vk_test_'), address)
  const other = await page.context().newPage()
  await other.goto(`${base}/docs/quickstart`)
  await other.waitForSelector('[data-key]:text-is("vk_test_YOUR_KEY")')
  await close(reader)
})

test('explains why a visitor cannot create keys; a live key is refused', async () => {
  const stranger = await read('/docs/api/usage')
  await stranger.page.click('text=Create a test key')
  await stranger.page.waitForSelector('text=You are not signed in here.')
  const live = await service.key(tenant, { environment: 'live' })
  await stranger.page.fill('[data-key-panel] input', live)
  await stranger.page.click('text=Use it')
  await stranger.page.waitForSelector('text=This is not a complete test key')
  assert.equal(await stranger.page.evaluate(() => sessionStorage.length), 0)
  await stranger.page.locator('#getUsage .try summary').click()
  await stranger.page.locator('#getUsage .try form > button').click()
  await stranger.page.waitForSelector('text=Enter a test key first')
  const test = await service.key(tenant)
  await stranger.page.fill('[data-key-panel] input', test)
  await stranger.page.click('text=Use it')
  await stranger.page.locator('#getUsage .try form > button').click()
  await stranger.page.waitForSelector('#getUsage .good')
  await close(stranger)
  const { cookie } = await person(service, tenant, 'viewer')
  const reader = await read('/docs/api/usage', { cookie })
  await reader.page.click('text=Create a test key')
  await reader.page.waitForSelector('text=Your role cannot create keys')
  await close(reader)
})
