// The hosted verification page and the web test wallet, as people meet them.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { listeningService } from '../harness/listening.ts'
import { assertAccessible } from '../harness/pages/accessible.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { assertCount, assertText } from '../harness/pages/shown.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read } from '../wallet/verifications.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const key = await service.key(await service.tenant({ name: 'Café <Zum Test> & Söhne' }))
const browser = await testBrowser()

async function open(path: string, options: { locale?: string; dark?: boolean } = {}): Promise<Page> {
  const context = await browser.newContext({
    locale: options.locale ?? 'en-GB',
    colorScheme: options.dark === true ? 'dark' : 'light',
    viewport: { width: 420, height: 1000 },
  })
  const page = await context.newPage()
  page.on('pageerror', (error) => assert.fail(error))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  await page.goto(`${service.base}${path}`)
  return page
}

const complaints: string[] = []

/** This browser asks wallets itself, so that the code to scan is folded away once the offer is there. */
async function openOtherWays(page: Page): Promise<void> {
  await page.waitForSelector('[data-ask]:enabled')
  await page.click('.ways summary')
}

test('the hosted page shows who asks for what and why, and notices the answer by itself', async () => {
  const purpose = 'To sell you something "strong" <b>today</b>'
  const made = await create(service, key, { template: 'age_over_18', purpose })
  const page = await open(`/verify/${made.id}`)
  await assertText(page.locator('h1').first(), /Confirm to Café <Zum Test> & Söhne that you are 18 or older/)
  await assertText(page.locator('.purpose').first(), /"strong" <b>today<\/b>/)
  await assertText(page.locator('.asked').first(), /18 or older/)
  const sameDevice = made.wallet_uri.replace('&request_uri_method', '%3Fsame_device&request_uri_method')
  assert.equal(await page.getAttribute('a.button', 'href'), sameDevice)
  assert.match((await page.textContent('[data-countdown]')) ?? '', /^[45]:\d\d$/)
  await assertAccessible(page)
  await openOtherWays(page)
  await page.locator('svg[role=img]').first().waitFor()
  await assertAccessible(page)
  await wallet.present(made.wallet_uri)
  await page.waitForSelector('[data-show=completed]:visible')
  await page.locator('svg[role=img]').first().waitFor({ state: 'hidden' })
  assert.equal(await page.getAttribute('.status', 'aria-live'), 'polite')
  await assertAccessible(page)
  await page.context().close()
})

test('it speaks German to a German browser, and what ?lang asks for', async () => {
  const made = await create(service, key)
  const page = await open(`/verify/${made.id}`, { locale: 'de-AT', dark: true })
  assert.equal(await page.getAttribute('html', 'lang'), 'de')
  await page.waitForSelector('[data-ask]:enabled')
  await assertText(page.locator('body').first(), /Wallet auswählen\s+Weitere Möglichkeiten/)
  await openOtherWays(page)
  await assertText(page.locator('body').first(), /Wallet öffnen/)
  await assertAccessible(page)
  await page.click('footer a[lang=en]')
  await page.waitForSelector('html[lang=en]')
  await page.context().close()
})

test('an unknown id gets a friendly page, with 404', async () => {
  for (const id of [`ver_${'x'.repeat(32)}`, 'nonsense']) {
    const page = await open(`/verify/${id}`)
    await assertText(page.locator('h1').first(), /Request not found/)
    assert.equal((await page.request.get(`${service.base}/verify/${id}`)).status(), 404)
    await page.context().close()
  }
})

test('the page of a finished verification shows how it ended and nothing to scan', async () => {
  const made = await create(service, key)
  await wallet.present(made.wallet_uri, 'declined')
  const page = await open(`/verify/${made.id}`)
  await page.locator('[data-show=declined]').first().waitFor()
  await assertCount(page.locator('svg'), 0)
  await page.context().close()
})

test('a wallet that comes back with a code sees the outcome, and the code goes nowhere', async () => {
  const made = await create(service, key)
  await wallet.present(made.wallet_uri)
  const page = await open('/sandbox/wallet')
  const asked: string[] = []
  page.on('request', (request) =>
    asked.push(request.url(), JSON.stringify(request.headers()), request.postData() ?? ''),
  )
  await page.goto(`${service.base}/verify/${made.id}?lang=de#response_code=${'c'.repeat(43)}`)
  await page.locator('[data-show=completed]').first().waitFor()
  await page.waitForURL(`${service.base}/verify/${made.id}?lang=de`)
  await page.click('footer a[lang=en]')
  await page.waitForSelector('html[lang=en]')
  assert.equal(asked.filter((part) => part.replace(/#.*/s, '').includes('ccc')).length, 0)
  assert.equal((await page.evaluate(() => location.href)).includes('ccc'), false)
  await page.context().close()
})

test('the test wallet opens a link, shows it, and presents', async () => {
  const made = await create(service, key, {
    template: 'identity',
    purpose: 'To open an account',
    redirect_url: 'https://shop.example.com/back',
  })
  const page = await open('/sandbox/wallet')
  await assertAccessible(page)
  await page.fill('textarea', made.wallet_uri)
  await page.click('button[type=submit]')
  await page.waitForSelector('button[value=consent]')
  await assertText(page.locator('main').first(), /Identified by its certificate as: localhost/)
  await assertText(page.locator('main').first(), /To open an account/)
  await assertText(
    page.locator('.asked').first(),
    /^Given name, Family name, Date of birth\s+from Personal ID \(PID\) or /,
  )
  await assertAccessible(page)
  await page.click('.technical summary')
  await assertText(page.locator('.technical').first(), /urn:eudi:pid:1\s+given_name\s+family_name\s+birthdate/)
  await page.click('button[value=consent]')
  await page.waitForSelector('.state')
  await assertText(page.locator('main').first(), /Verification completed/)
  assert.match(
    (await page.getAttribute('a.button', 'href')) ?? '',
    /^https:\/\/shop\.example\.com\/back#response_code=/,
  )
  await assertAccessible(page)
  assert.equal((await read(service, key, made.id)).status, 'completed')
  await page.context().close()
})

test('from the hosted page to the test wallet, which declines or does as its scenario says', async () => {
  const made = await create(service, key)
  const page = await open(`/verify/${made.id}?lang=de`, { dark: true })
  // In sight from the beginning, also where the other ways are folded.
  await page.waitForSelector('[data-ask]:enabled')
  await page.click('.try a')
  await assertText(page.locator('.asked').first(), /^Vorname, Nachname, Geburtsdatum\s+aus: Personalausweis/)
  await page.click('.trial > summary')
  await page.getByLabel('Die Nachweise sind widerrufen').waitFor()
  await assertAccessible(page)
  await page.click('footer a[lang=fr]')
  await page.waitForSelector('html[lang=fr]')
  await page.click('footer a[lang=de]')
  await page.click('button[value=decline]')
  await page.waitForSelector('.state')
  await assertText(page.locator('main').first(), /Prüfung fehlgeschlagen/)
  await assertAccessible(page)
  await page.click('a[href^="/verify/"]')
  await page.waitForSelector('html[lang=de] [data-show=declined]:visible')
  assert.equal((await read(service, key, made.id)).error.code, 'wallet_declined')
  const other = await create(service, key, { template: 'age_over_18' })
  await page.goto(`${service.base}/sandbox/wallet?uri=${encodeURIComponent(other.wallet_uri)}`)
  await assertText(page.locator('.asked').first(), /18 or older \(yes or no\), or else Date of birth\s+from Personal/)
  await page.click('.trial > summary')
  await page.check('input[value=revoked]')
  await page.click('button[value=consent]')
  await page.waitForSelector('.state')
  assert.equal((await read(service, key, other.id)).error.code, 'credential_revoked')
  await page.context().close()
})

for (const [protocol, scenario, status] of [
  ['openid4vp-v1-signed', 'good', 'completed'],
  ['org-iso-mdoc', 'good', 'completed'],
  ['openid4vp-v1-signed', 'revoked', 'failed'],
  ['org-iso-mdoc', 'revoked', 'failed'],
] as const)
  test(`this browser as wallet: ${protocol}, ${scenario}`, async () => {
    const made = await create(service, key, {
      template: 'identity',
      redirect_url: 'https://shop.example.com/back',
    })
    const page = await open(`/sandbox/wallet?uri=${encodeURIComponent(made.wallet_uri)}`)
    assert.ok(await page.isChecked('input[value=link]'))
    await page.click('.trial > summary')
    await page.check(`input[value=${protocol}]`)
    await page.check(`input[value=${scenario}]`)
    await assertAccessible(page)
    await page.click('button[value=consent]')
    await page.waitForSelector('.state')
    await assertText(page.locator('main').first(), new RegExp(`Verification ${status}`))
    assert.equal((await read(service, key, made.id)).status, status)
    assert.match((await page.getAttribute('a.button', 'href')) ?? '', /back#response_code=/)
    await page.context().close()
  })

test('this browser as wallet declines: that ends nothing, and Annex C has no word for it', async () => {
  for (const [protocol, says] of [
    ['openid4vp-v1-signed', /Verification still open/],
    ['org-iso-mdoc', /has nothing that matches, or it declined/],
  ] as const) {
    const made = await create(service, key)
    const page = await open(`/sandbox/wallet?uri=${encodeURIComponent(made.wallet_uri)}`)
    await page.click('.trial > summary')
    await page.check(`input[value=${protocol}]`)
    await page.click('button[value=decline]')
    await page.waitForSelector('.outcome')
    await assertText(page.locator('main').first(), says)
    assert.equal((await read(service, key, made.id)).status, 'pending')
    await page.context().close()
  }
})

test('no page broke its own content security policy', () => {
  assert.deepEqual(
    complaints.filter((text) => !/status of 4(04|22)/.test(text)),
    [],
  )
})
