// Tests each state of the hosted page, on desktop and phone, in both themes, and with missing browser features.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { listeningService } from '../harness/listening.ts'
import { assertAccessible } from '../harness/pages/accessible.ts'
import { dress } from '../harness/pages/brands.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { assertText } from '../harness/pages/shown.ts'
import { testWallet } from '../harness/wallet.ts'
import { CARD, PAYMENT } from '../transactions/asking.ts'
import { type Created, create } from '../wallet/verifications.ts'

const DESKTOP = { width: 1280, height: 720 }
const PHONE = { width: 390, height: 844 }

const service = await listeningService()
const wallet = await testWallet(service)
const tenant = await service.tenant({ name: 'Grünhof Versand GmbH' })
const key = await service.key(tenant)
await dress(service, tenant, { name: 'Grünhof', colour: '#ffd400' })
const browser = await testBrowser()
const complaints: string[] = []

const BODY = { template: 'age_over_18', purpose: 'To sell you wine', redirect_url: 'https://shop.example/back?order=1' }

async function open(
  options: BrowserContextOptions = {},
  prepare: (page: Page) => Promise<unknown> = async () => undefined,
): Promise<{ readonly page: Page; readonly created: Created }> {
  const created = await create(service, key, BODY)
  const context = await browser.newContext({ locale: 'en-GB', viewport: DESKTOP, ...options })
  // Like most browsers: without an API that asks wallets.
  await context.addInitScript('delete globalThis.DigitalCredential')
  const page = await context.newPage()
  page.on('pageerror', (error) => assert.fail(error))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  await prepare(page)
  await page.goto(`${service.base}/verify/${created.id}`)
  return { page, created }
}

const current = (page: Page) => page.getAttribute('.way [aria-current=step]', 'data-at')

/** The whole element is in the window, without scrolling. */
async function assertInWindow(page: Page, selector: string): Promise<void> {
  const box = await page.locator(selector).boundingBox()
  const size = page.viewportSize()
  assert.ok(box !== null && size !== null, selector)
  assert.ok(box.y >= 0 && box.y + box.height <= size.height, `${selector}: ${box.y} + ${box.height}`)
  assert.ok(box.x >= 0 && box.x + box.width <= size.width, `${selector}: ${box.x} + ${box.width}`)
}

/** Each theme with one size only, because it affects only colours. */
const LOOKS: readonly [string, BrowserContextOptions][] = [
  ['wide, light, en', {}],
  ['phone, dark, de', { locale: 'de-DE', viewport: PHONE, colorScheme: 'dark' }],
]

for (const [name, look] of LOOKS)
  test(`the page shows waiting, in the wallet, and done: ${name}`, async () => {
    const { page, created } = await open(look)
    const isWide = look.viewport === undefined
    await page.waitForSelector('[data-waiting]:visible')
    assert.ok(!(await page.isVisible('.way')), 'nothing has happened yet')
    assert.equal(
      await page.isVisible('[data-show=waiting]'),
      isWide,
      'on a phone the page does not show waiting before the tap',
    )
    await assertAccessible(page)
    await wallet.request(created.wallet_uri)
    await page.waitForSelector('[data-show=fetched]:visible')
    assert.equal(await current(page), 'fetched')
    await assertText(
      page.locator('[data-show=fetched] .outcome:visible'),
      isWide ? 'Continue on your phone' : 'Weiter in Ihrer Wallet',
    )
    assert.ok(!(await page.isVisible('svg[role=img]')), 'no second scan is needed')
    await assertAccessible(page)
    const checked = service.deps.progress.noteChecking(created.id)
    await page.waitForSelector('[data-show=checking]:visible')
    assert.equal(await current(page), 'checking')
    await assertInWindow(page, '[data-show=checking]')
    await assertAccessible(page)
    checked()
    await page.waitForSelector('[data-show=fetched]:visible')
    assert.equal(await page.isVisible('[data-wallet-again]'), !isWide)
    if (isWide) {
      await page.click('[data-code-again]')
      await page.waitForSelector('svg[role=img]:visible')
    }
    await wallet.present(created.wallet_uri)
    await page.waitForSelector('[data-show=completed]:visible')
    await assertText(page.locator('h1:visible'), isWide ? 'Age check complete' : 'Alter geprüft')
    for (const gone of ['.question', '.received', '.way', '.notes[data-open]', '.time', '.try', 'svg[role=img]'])
      assert.ok(!(await page.isVisible(gone)), gone)
    assert.equal(await page.title(), await page.innerText('[data-show=completed] h1'))
    assert.equal(await page.getAttribute('[data-show=completed] a.button', 'href'), 'https://shop.example/')
    await assertInWindow(page, 'main')
    await assertAccessible(page)
    await page.context().close()
  })

test('every end has a complete card with its reason and a remedy, live and when opened later', async () => {
  const presenting = (kind: Parameters<typeof wallet.present>[1]) => (created: Created) =>
    wallet.present(created.wallet_uri, kind)
  const ends = [
    ['declined', 'Nothing was shared', 'Try again at Grünhof', presenting('declined')],
    ['failed', 'This ID has been revoked', 'Try again at Grünhof', presenting('revoked')],
    [
      'failed',
      'Your wallet reported an error',
      'Try again at Grünhof',
      async (created: Created) => {
        const { state } = await wallet.request(created.wallet_uri)
        const error = new URLSearchParams({ error: 'vp_formats_not_supported', state: state ?? '' })
        await fetch(`${service.base}/wallet/response/${created.id}`, { method: 'POST', body: error })
      },
    ],
    [
      'expired',
      'Request cancelled',
      'Back to Grünhof',
      async (created: Created) => service.call('POST', `/v1/verifications/${created.id}/cancel`, { key }),
    ],
    ['expired', 'This link has expired', 'Back to Grünhof', async () => service.clock.advance(24 * 3_600_000)],
  ] as const
  for (const [step, title, method, end] of ends) {
    const { page, created } = await open()
    await page.waitForSelector('[data-show=waiting]:visible')
    await end(created)
    for (const again of [false, true]) {
      if (again) await page.reload()
      await page.waitForSelector(`[data-show=${step}]:visible`)
      await assertText(page.locator(`[data-show=${step}] h1`).first(), title)
      // Only an expired verification shows a clock.
      if (step === 'expired')
        await page.waitForSelector(
          `.state.${title === 'Request cancelled' ? 'declined' : 'expired'}[data-show=expired]`,
        )
      await assertText(page.locator(`[data-show=${step}] a.button`).first(), method)
      await page.locator('.question').first().waitFor({ state: 'hidden' })
      await assertAccessible(page)
    }
    await page.context().close()
  }
})

test('another browser learns that the verification failed, but not why, also by stream and poll', async () => {
  const { page, created } = await open()
  await page.waitForSelector('[data-show=waiting]:visible')
  await wallet.present(created.wallet_uri, 'revoked')
  await assertText(page.locator('[data-show=failed] h1').first(), 'This ID has been revoked')
  await assertText(page.locator('[data-show=failed] p').first(), /another ID\. Your data was not passed on\.$/)
  const other = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  await other.goto(`${service.base}/verify/${created.id}`)
  await assertText(other.locator('[data-show=failed] h1').first(), 'We could not confirm your ID')
  assert.doesNotMatch(await other.content(), /revoked|18 or older|Accepted IDs/)
  for (const kind of ['progress', 'events'])
    assert.doesNotMatch((await service.call('GET', `/verify/${created.id}/${kind}`)).text, /revoked/)
  for (const one of [page, other]) await one.context().close()
})

test('an open page leads back to the merchant, and says where to get a wallet', async () => {
  const { page } = await open()
  assert.equal(await page.getByRole('link', { name: 'Back to Grünhof' }).getAttribute('href'), 'https://shop.example/')
  await page.getByText('No wallet yet?').click()
  await page.getByText('Netherlands: NL Wallet').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  const lefts = await page
    .locator('[data-no-wallet] li')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left))
  assert.equal(new Set(lefts).size, 1, 'one column on a phone')
  await assertAccessible(page)
  await page.context().close()
})

test('a wide window shows question and code side by side within 720 pixels of height', async () => {
  const { page } = await open({ locale: 'de-DE' })
  await page.waitForSelector('svg[role=img]:visible')
  for (const part of ['main', '.question h1', '.asked', 'svg[role=img]', '.same', '.received', '.notes[data-open]'])
    await assertInWindow(page, part)
  const [question, code] = [await page.locator('.question h1').boundingBox(), await page.locator('.code').boundingBox()]
  assert.ok(question !== null && code !== null && code.x > question.x + 200 && !(await page.isVisible('.ways summary')))
  await page.context().close()
})

test("a phone shows the wallet's button first, and the code under another label", async () => {
  const { page, created } = await open({ viewport: PHONE, hasTouch: true, isMobile: true })
  const [received, notes] = [
    await page.locator('.received').boundingBox(),
    await page.locator('.notes[data-open]').boundingBox(),
  ]
  assert.ok(received !== null && notes !== null && received.y < notes.y)
  for (const one of await page.locator('.notes[data-open] summary').all())
    assert.ok(((await one.boundingBox())?.height ?? 0) >= 44, 'large enough for a finger')
  await page.waitForSelector('.ways summary:visible')
  await assertText(page.locator('.ways summary').first(), 'Use another device')
  await page.locator('svg[role=img]').first().waitFor({ state: 'hidden' })
  const sameDevice = created.wallet_uri.replace(/(?<=request_uri=[^&]+)&/, '%3Fsame_device&')
  assert.equal(await page.getAttribute('a.button >> nth=0', 'href'), sameDevice)
  await assertInWindow(page, '.same')
  await page.click('.ways summary')
  await page.waitForSelector('svg[role=img]:visible')
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.width)
  await page.context().close()
})

test('without a stream the page polls, and shows the same', async () => {
  for (const refuse of [
    (page: Page) => page.route('**/events', (route) => route.fulfill({ status: 429 })),
    (page: Page) => page.addInitScript('delete globalThis.EventSource'),
  ]) {
    const { page, created } = await open({}, refuse)
    const requested = page.waitForResponse((response) => response.url().endsWith('/progress'))
    await requested
    await wallet.request(created.wallet_uri)
    await service.deps.fetchNotes.flush()
    await page.waitForSelector('[data-show=fetched]:visible')
    await wallet.present(created.wallet_uri)
    await page.waitForSelector('[data-show=completed]:visible')
    await page.context().close()
  }
})

test('a lost connection is reported until it is back', async () => {
  const { page, created } = await open()
  await page.waitForSelector('[data-show=waiting]:visible')
  await page.context().setOffline(true)
  await page.waitForSelector('[data-offline] span:visible')
  await assertText(page.locator('[data-offline]').first(), /You are offline/)
  assert.ok(
    await page.locator('[data-waiting]').evaluate((one) => one.hasAttribute('inert')),
    'the buttons are disabled in the meantime',
  )
  await assertAccessible(page)
  await page.context().setOffline(false)
  await page.waitForSelector('[data-offline] span', { state: 'hidden' })
  assert.ok(!(await page.locator('[data-waiting]').evaluate((one) => one.hasAttribute('inert'))))
  await wallet.present(created.wallet_uri)
  await page.waitForSelector('[data-show=completed]:visible')
  await page.context().close()
})

test('without scripts the page says so, and reloading shows the outcome', async () => {
  const created = await create(service, key, BODY)
  const context = await browser.newContext({ locale: 'en-GB', viewport: DESKTOP, javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${service.base}/verify/${created.id}`)
  await page.locator('svg[role=img]').first().waitFor()
  await assertText(page.locator('main').first(), /Reload this page to see the result/)
  await wallet.present(created.wallet_uri)
  await page.reload()
  await page.locator('[data-show=completed]').first().waitFor()
  await context.close()
})

test('choosing another language keeps the page', async () => {
  const { page, created } = await open()
  await page.click('footer a[lang=nl]')
  await page.waitForSelector('html[lang=nl]')
  assert.equal(page.url(), `${service.base}/verify/${created.id}?lang=nl`)
  assert.equal(await page.getAttribute('footer a[lang=nl]', 'aria-current'), 'true')
  await assertAccessible(page)
  await page.context().close()
})

test('a colon is written as the language writes it', async () => {
  const { page } = await open()
  for (const [language, start] of [
    ['fr', 'Temps restant\u00a0: '],
    ['es', 'Tiempo restante: '],
  ] as const) {
    await page.click(`footer a[lang=${language}]`)
    await page.waitForSelector(`html[lang=${language}]`)
    assert.ok((await page.textContent('.time'))?.startsWith(start), language)
  }
  await page.context().close()
})

test('the time is shown in the last two minutes, as minutes and seconds', async () => {
  const { page } = await open()
  await page.waitForSelector('[data-waiting]:visible')
  assert.ok(!(await page.isVisible('[data-time]')))
  service.clock.advance(200_000)
  await page.reload()
  await page.waitForSelector('[data-time]:visible')
  assert.match((await page.textContent('[data-time]')) ?? '', /^Time left: 1:\d\d$/)
  await page.context().close()
})

test('the page of a payment shows a card and an amount, also after its end and after a reload', async () => {
  const body = { query: { credentials: [CARD] }, transaction: [PAYMENT], redirect_url: BODY.redirect_url }
  for (const [kind, title] of [
    ['declined', 'Payment not completed'],
    ['revoked', 'This card has been blocked'],
    ['good', 'Payment confirmed'],
  ] as const) {
    const created = await create(service, key, body)
    const context = await browser.newContext({ locale: 'en-GB', viewport: DESKTOP })
    const page = await context.newPage()
    await page.goto(`${service.base}/verify/${created.id}`)
    assert.equal(await page.getByRole('link', { name: 'Cancel payment' }).getAttribute('href'), 'https://shop.example/')
    await page.waitForSelector('[data-waiting]:visible')
    await assertAccessible(page)
    await wallet.present(created.wallet_uri, kind)
    await assertText(page.locator('h1:visible').first(), title)
    if (kind === 'good') await assertText(page.locator('.pay:visible'), /^€42\.50\s+to Corner Shop/)
    // The page reloads itself to learn the reason.
    if (kind !== 'good') await page.locator('[data-open]').first().waitFor({ state: 'detached' })
    await page.reload()
    await assertText(page.locator('h1:visible').first(), title)
    if (kind === 'revoked') assert.match(await page.innerText('main'), /Nothing was paid\. Contact your bank/)
    const other = await (await browser.newContext({ locale: 'en-GB' })).newPage()
    await other.goto(`${service.base}/verify/${created.id}?about=payment`)
    assert.doesNotMatch(await other.innerText('main'), /card|pay/i, 'another browser sees nothing of the payment')
    for (const one of [context, other.context()]) await one.close()
  }
})

test('a broken link has a way back', async () => {
  const context = await browser.newContext({ locale: 'en-GB', viewport: DESKTOP })
  const page = await context.newPage()
  await page.goto(`${service.base}/docs`)
  await page.goto(`${service.base}/verify/ver_${'0'.repeat(32)}`)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Back' }).click()
  await page.waitForURL(/\/docs/)
  await context.close()
})

test('in languages from right to left only the sides change', async () => {
  const { page } = await open()
  await page.waitForSelector('svg[role=img]:visible')
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl'
  })
  const [question, code] = [await page.locator('.question h1').boundingBox(), await page.locator('.code').boundingBox()]
  assert.ok(question !== null && code !== null && code.x < question.x)
  await assertInWindow(page, 'main')
  await page.context().close()
})

test("the brand's colour and logo are shown, from our own origin only", async () => {
  const requests: string[] = []
  const { page } = await open({}, async (one) => one.on('request', (request) => requests.push(request.url())))
  await page.waitForFunction(() => document.querySelector<HTMLImageElement>('.logo')?.naturalWidth !== 0)
  const colours = await page
    .locator('.button.quiet')
    .first()
    .evaluate((one) => getComputedStyle(one).color)
  assert.notEqual(colours, 'rgb(255, 212, 0)', 'yellow on white cannot be read')
  assert.ok(
    requests.every((url) => url.startsWith(service.base)),
    requests.join(' '),
  )
  await page.context().close()
})

test('no page broke its own content security policy', () => {
  const expected = /status of 4(04|10|22|29)|ERR_INTERNET_DISCONNECTED/
  assert.deepEqual(
    complaints.filter((text) => !expected.test(text)),
    [],
  )
})
