// Tests the hosted verification page and the web test wallet in a browser.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { listeningService } from '../harness/listening.ts'
import { assertAccessible } from '../harness/pages/accessible.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { assertCount, assertText } from '../harness/pages/shown.ts'
import { testWallet } from '../harness/wallet.ts'
import { CARD, PAYMENT } from '../transactions/asking.ts'
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

/** This browser asks wallets itself, so the code to scan is folded once the offer is there. */
async function openOtherWays(page: Page): Promise<void> {
  await page.waitForSelector('[data-ask]:enabled')
  await page.click('.ways summary')
}

test('the hosted page shows who asks for what and why, and shows the answer without a reload', async () => {
  const purpose = 'To sell you something "strong" <b>today</b>'
  const created = await create(service, key, { template: 'age_over_18', purpose })
  const page = await open(`/verify/${created.id}`)
  await assertText(page.locator('h1').first(), /Confirm to Café <Zum Test> & Söhne that you are 18 or older/)
  await assertText(page.locator('.purpose').first(), /"strong" <b>today<\/b>/)
  await assertText(page.locator('.asked').first(), /18 or older/)
  const sameDevice = created.wallet_uri.replace('&request_uri_method', '%3Fsame_device&request_uri_method')
  assert.equal(await page.getAttribute('a.button', 'href'), sameDevice)
  assert.match((await page.textContent('[data-countdown]')) ?? '', /^[45]:\d\d$/)
  await assertAccessible(page)
  await openOtherWays(page)
  await page.locator('svg[role=img]').first().waitFor()
  await assertAccessible(page)
  await wallet.present(created.wallet_uri)
  await page.waitForSelector('[data-show=completed]:visible')
  await page.locator('svg[role=img]').first().waitFor({ state: 'hidden' })
  assert.equal(await page.getAttribute('.status', 'aria-live'), 'polite')
  await assertAccessible(page)
  await page.context().close()
})

test('the hosted page speaks German to a German browser, and the language of ?lang if there is one', async () => {
  const created = await create(service, key)
  const page = await open(`/verify/${created.id}`, { locale: 'de-AT', dark: true })
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

test('the page of a finished verification shows the outcome and nothing to scan', async () => {
  const created = await create(service, key)
  await wallet.present(created.wallet_uri, 'declined')
  const page = await open(`/verify/${created.id}`)
  await page.locator('[data-show=declined]').first().waitFor()
  await assertCount(page.locator('svg'), 0)
  await page.context().close()
})

test('a wallet that comes back with a code sees the outcome, and the code is not passed on', async () => {
  const created = await create(service, key)
  await wallet.present(created.wallet_uri)
  const page = await open('/sandbox/wallet')
  const requests: string[] = []
  page.on('request', (request) =>
    requests.push(request.url(), JSON.stringify(request.headers()), request.postData() ?? ''),
  )
  await page.goto(`${service.base}/verify/${created.id}?lang=de#response_code=${'c'.repeat(43)}`)
  await page.locator('[data-show=completed]').first().waitFor()
  await page.waitForURL(`${service.base}/verify/${created.id}?lang=de`)
  await page.click('footer a[lang=en]')
  await page.waitForSelector('html[lang=en]')
  assert.equal(requests.filter((part) => part.replace(/#.*/s, '').includes('ccc')).length, 0)
  assert.equal((await page.evaluate(() => location.href)).includes('ccc'), false)
  await page.context().close()
})

test('the test wallet opens a link, shows the request, and presents', async () => {
  const created = await create(service, key, {
    template: 'identity',
    purpose: 'To open an account',
    redirect_url: 'https://shop.example.com/back',
  })
  const page = await open('/sandbox/wallet')
  await assertAccessible(page)
  await page.fill('textarea', created.wallet_uri)
  await page.click('button[type=submit]')
  await page.waitForSelector('button[value=consent]')
  await assertText(page.locator('h1').first(), /^Share your given name, family name and date of birth with Café <Zum/)
  await assertText(page.locator('.brand').first(), /Café <Zum Test> & Söhne\s+Certificate: localhost/)
  await assertText(page.locator('main').first(), /To open an account/)
  await assertText(page.locator('.pick').first(), /^Personal ID \(PID\)\s+SD-JWT VC\s+Given name\s+Vida\s+Family name/)
  await assertText(page.locator('.pick').first(), /Date of birth\s+14 July 1990$/)
  await assertAccessible(page)
  await page.click('form + .notes summary')
  await assertText(
    page.locator('.asked').first(),
    /^Given name, Family name, Date of birth\s+from Personal ID \(PID\) or /,
  )
  await page.locator('.names summary').click()
  await assertText(page.locator('.names').first(), /urn:eudi:pid:1\s+given_name\s+family_name\s+birthdate/)
  await assertAccessible(page)
  await page.click('button[value=consent]')
  await page.waitForSelector('.state')
  await assertText(page.locator('h1').first(), 'Details shared')
  await assertText(page.locator('.held').first(), /Given name\s+Vida/)
  await assertCount(page.locator('.verdict'), 0)
  assert.match(
    (await page.getAttribute('a.button', 'href')) ?? '',
    /^https:\/\/shop\.example\.com\/back#response_code=/,
  )
  await assertAccessible(page)
  assert.equal((await read(service, key, created.id)).status, 'completed')
  await page.context().close()
})

test('the hosted page leads to the test wallet, which declines or follows its scenario', async () => {
  const created = await create(service, key)
  const page = await open(`/verify/${created.id}?lang=de`, { dark: true })
  // Visible from the start, also where the other channels are folded.
  await page.waitForSelector('[data-ask]:enabled')
  await page.click('.try a')
  await assertText(page.locator('.pick').first(), /^Personalausweis \(PID\)\s+SD-JWT VC\s+Vorname\s+Vida/)
  await page.getByLabel('Testfall').selectOption('Der Nachweis ist widerrufen')
  await page.click('.trial summary')
  await page.getByLabel('Wie die Wallet gefragt wird').waitFor()
  await assertAccessible(page)
  await page.click('footer a[lang=fr]')
  await page.waitForSelector('html[lang=fr]')
  await page.click('footer a[lang=de]')
  await page.click('button[value=decline]')
  await page.waitForSelector('.state')
  await assertText(
    page.locator('.state').first(),
    /^Es wurde nichts übermittelt\s+Sie haben diese Anfrage abgelehnt\.$/,
  )
  await assertAccessible(page)
  await page.click('a[href^="/verify/"]')
  await page.waitForSelector('html[lang=de] [data-show=declined]:visible')
  assert.equal((await read(service, key, created.id)).error.code, 'wallet_declined')
  const other = await create(service, key, { template: 'age_over_18' })
  await page.goto(`${service.base}/sandbox/wallet?uri=${encodeURIComponent(other.wallet_uri)}`)
  await assertText(page.locator('.pick').first(), /^EU age proof\s+mdoc\s+18 or older\s+Yes$/)
  await page.selectOption('#scenario', 'revoked')
  await page.click('button[value=consent]')
  await page.waitForSelector('.state')
  assert.equal((await read(service, key, other.id)).error.code, 'credential_revoked')
  await assertText(page.locator('.state').first(), /^Verification failed\s+The issuer has revoked the document\.$/)
  await assertText(
    page.locator('.verdict').first(),
    'This is the expected result: you chose the test case “The document is revoked”.',
  )
  await page.click('.notes summary')
  await assertText(page.locator('.notes').first(), /Error code: credential_revoked/)
  await assertAccessible(page)
  await page.context().close()
})

const openRequest = async (body: object) => {
  const created = await create(service, key, body)
  return { created, page: await open(`/sandbox/wallet?uri=${encodeURIComponent(created.wallet_uri)}`) }
}

test('the holder chooses among the documents by keyboard', async () => {
  const { created, page } = await openRequest({ template: 'identity' })
  await page.focus('.pick input')
  await page.keyboard.press('ArrowDown')
  await assertText(page.locator('.pick:has(:checked)').first(), /^Personal ID \(PID\)\s+mdoc\s+Given name\s+Vida/)
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'scenario')
  // bounded: by the number of focusable elements.
  for (let at = 0; at < 5; at++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(() => document.activeElement?.getAttribute('value') === 'consent')) break
  }
  await page.keyboard.press('Enter')
  await page.waitForSelector('.state.completed')
  const { credentials } = await read(service, key, created.id)
  assert.deepEqual(
    credentials.map(({ format }: { format: string }) => format),
    ['mso_mdoc'],
  )
  await page.context().close()
})

const PID = { format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['given_name'] }] }
const LICENCE = {
  format: 'mso_mdoc',
  meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
  claims: [{ path: ['org.iso.18013.5.1', 'driving_privileges'] }],
}

test('optional claims can be withheld', async () => {
  const credentials = [
    { id: 'person', ...PID },
    { id: 'licence', ...LICENCE },
  ]
  const credential_sets = [{ options: [['person']] }, { options: [['licence']], required: false }]
  for (const [choice, formats] of [
    ['none', ['dc+sd-jwt']],
    ['0', ['dc+sd-jwt', 'mso_mdoc']],
  ] as const) {
    const { created, page } = await openRequest({ query: { credentials, credential_sets } })
    await assertText(page.locator('.held').first(), /Personal ID \(PID\)\s*SD-JWT VC\s+Given name\s+Vida$/)
    await assertText(
      page.locator('.picks').first(),
      /^Optional\s+Mobile driving licence\s+mdoc\s+Driving.*\s+B, AM\s+Do not/,
    )
    await assertAccessible(page)
    await page.check(`input[name="pick.1"][value="${choice}"]`)
    await page.click('button[value=consent]')
    await page.waitForSelector('.state.completed')
    const { credentials: shared } = await read(service, key, created.id)
    assert.deepEqual(
      shared.map(({ format }: { format: string }) => format),
      formats,
    )
    await page.context().close()
  }
})

test('a request that no document answers can only be declined', async () => {
  const credential = { id: 'card', format: 'dc+sd-jwt', meta: { vct_values: ['urn:example:library-card'] } }
  const { created, page } = await openRequest({ query: { credentials: [credential] } })
  await assertText(page.locator('.help').first(), /no document that answers this request/)
  await assertCount(page.locator('button[value=consent]'), 0)
  await assertAccessible(page)
  await page.click('button[value=decline]')
  await page.waitForSelector('.state.declined')
  assert.equal((await read(service, key, created.id)).error.code, 'wallet_declined')
  await page.context().close()
})

test('a payment shows amount and payee, and a wrong signature on it is the expected failure', async () => {
  const body = { query: { credentials: [CARD] }, transaction: [PAYMENT] }
  const { created, page } = await openRequest(body)
  await assertText(page.locator('h1').first(), /^Pay Corner Shop\s+€42\.50$/)
  await assertText(page.locator('.purpose').first(), 'Café <Zum Test> & Söhne asks you to pay Corner Shop.')
  await assertText(page.locator('.held').first(), /Last four digits of the card\s+4242/)
  await assertText(page.locator('button[value=consent]').first(), 'Pay €42.50')
  await assertAccessible(page)
  await page.click('button[value=consent]')
  await assertText(page.locator('h1').first(), 'Payment confirmed')
  assert.equal((await read(service, key, created.id)).status, 'completed')
  await page.context().close()
  const other = await openRequest(body)
  await other.page.click('.trial summary')
  await other.page.selectOption('#transaction', 'no_factors')
  await other.page.click('button[value=consent]')
  await assertText(other.page.locator('.state').first(), /not confirmed with two different factors/)
  await assertText(
    other.page.locator('.verdict').first(),
    /expected result: you chose the test case “no factors named”/,
  )
  await other.page.context().close()
})

test('an end that the test case does not expect is reported as such', async () => {
  // A document without claims has none to withhold.
  const { page } = await openRequest({ query: { credentials: [{ id: 'a', ...PID, claims: undefined }] } })
  await page.selectOption('#scenario', 'missing_claim')
  await page.click('button[value=consent]')
  await page.waitForSelector('.state.completed')
  await assertText(page.locator('.verdict.warned').first(), /should fail with query_not_satisfied\.$/)
  await assertAccessible(page)
  await page.context().close()
})

test('a broken link is explained: at the field, or as a page with a way back', async () => {
  const page = await open('/sandbox/wallet?uri=nonsense')
  await assertText(page.locator('.wrong').first(), /starts with openid4vp:\/\//)
  assert.equal(await page.getAttribute('textarea', 'aria-describedby'), 'wrong')
  await assertAccessible(page)
  const created = await create(service, key)
  await wallet.present(created.wallet_uri)
  const address = `${service.base}/sandbox/wallet?uri=${encodeURIComponent(created.wallet_uri)}`
  await page.goto(address)
  await assertText(page.locator('h1').first(), 'Already answered')
  await assertAccessible(page)
  await page.click('a.button:not(.quiet)')
  await page.waitForURL(new RegExp(`/verify/${created.id}`))
  await page.context().close()
})

for (const [protocol, scenario, status] of [
  ['openid4vp-v1-signed', 'good', 'completed'],
  ['org-iso-mdoc', 'good', 'completed'],
  ['openid4vp-v1-signed', 'revoked', 'failed'],
  ['org-iso-mdoc', 'revoked', 'failed'],
] as const)
  test(`this browser as wallet: ${protocol}, ${scenario}`, async () => {
    const created = await create(service, key, {
      template: 'identity',
      redirect_url: 'https://shop.example.com/back',
    })
    const page = await open(`/sandbox/wallet?uri=${encodeURIComponent(created.wallet_uri)}`)
    assert.equal(await page.inputValue('#way'), 'link')
    await page.click('.trial summary')
    await page.selectOption('#way', protocol)
    await page.selectOption('#scenario', scenario)
    await assertAccessible(page)
    await page.click('button[value=consent]')
    await page.waitForSelector('.state')
    await assertText(page.locator('h1').first(), status === 'failed' ? 'Verification failed' : 'Details shared')
    assert.equal((await read(service, key, created.id)).status, status)
    assert.match((await page.getAttribute('a.button', 'href')) ?? '', /back#response_code=/)
    await page.context().close()
  })

test('this browser declines as a wallet: the verification stays open, and Annex C has no message for it', async () => {
  for (const [protocol, says] of [
    ['openid4vp-v1-signed', /Nothing was shared\s+You declined in this browser\. The request is still open/],
    ['org-iso-mdoc', /has nothing that matches, or it declined/],
  ] as const) {
    const created = await create(service, key)
    const page = await open(`/sandbox/wallet?uri=${encodeURIComponent(created.wallet_uri)}`)
    await page.click('.trial summary')
    await page.selectOption('#way', protocol)
    await page.click('button[value=decline]')
    await page.waitForSelector('.outcome')
    await assertText(page.locator('main').first(), says)
    assert.equal((await read(service, key, created.id)).status, 'pending')
    await page.context().close()
  }
})

test('no page broke its own content security policy', () => {
  assert.deepEqual(
    complaints.filter((text) => !/status of 4(04|22)/.test(text)),
    [],
  )
})
