// Tests states that a till must show correctly: test or live, No or not proven, cancelled, offline.

import assert from 'node:assert/strict'
import test from 'node:test'
import { generateKey, issueAll } from '@vidimus/wallet'
import type { Page } from 'playwright-core'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { registerDevice } from '../harness/devices.ts'
import { listeningService } from '../harness/listening.ts'
import { assertAccessible } from '../harness/pages/accessible.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { assertCount, assertText } from '../harness/pages/shown.ts'
import { close, outcome, readCode, tillsOf } from '../harness/pages/till.ts'
import { CHILD } from '../harness/people.ts'
import { assertRefused, OPERATOR } from '../harness/service.ts'
import { within } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { CARD, PAYMENT_TO_FILL_IN } from '../transactions/asking.ts'
import { respond, validBody } from '../wallet/verifications.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)
const live = await service.key(tenant, { environment: 'live' })
const tills = tillsOf(service, await testBrowser(), key)
for (const environment of ['test', 'live'] as const) {
  await saveTemplate(service.deps, {
    realm: { tenantId: tenant, environment },
    key: 'tasting_guest',
    document: {
      title: 'Guest of the wine tasting',
      description: '',
      query: {
        credentials: [
          {
            id: 'p',
            format: 'dc+sd-jwt',
            meta: { vct_values: ['urn:eudi:pid:1'] },
            claims: [{ path: ['given_name'] }],
          },
        ],
      },
    },
    actor: OPERATOR,
  })
}

const idOf = (walletUri: string) => /ver_[A-Za-z0-9]{32}/.exec(decodeURIComponent(walletUri))?.[0] ?? ''
const read = async (id: string) => (await service.call('GET', `/v1/verifications/${id}`, { key })).json
/** The service is unreachable, even if the browser reports a network. */
async function cutOff(page: Page): Promise<() => Promise<void>> {
  const away = /\/(v1|healthz)/
  await page.route(away, (route) => route.abort())
  return () => page.unroute(away)
}

test('every screen says TEST in the test environment, and none in live', async () => {
  const till = await tills.paired({ width: 390 })
  const { page } = till
  const mark = page.locator('#test')
  await assertText(mark, /^TEST\s*Do not rely/)
  await assertAccessible(page)
  await page.tap('[data-template=age_over_18]')
  const walletUri = await readCode(page)
  await mark.waitFor()
  await wallet.present(walletUri)
  await outcome(page)
  await mark.waitFor()
  await close(till)
  const real = await tills.paired({ key: live })
  assert.ok(await real.page.locator('#test').isHidden())
  await real.page.reload()
  await real.page.waitForSelector('.choices')
  assert.ok(await real.page.locator('#test').isHidden())
  await close(real)
})

test('a till shows TEST until the service says otherwise', async () => {
  const till = await tills.open()
  const { page } = till
  await page.route('**/v1/templates', (route) => route.abort())
  const { json } = await registerDevice(service, live)
  await page.fill('#code', json.pairing_code)
  await page.click('button[type=submit]')
  await page.waitForSelector('.choices')
  await page.locator('#test').waitFor()
  await page.unroute('**/v1/templates')
  await page.reload()
  await page.waitForSelector('.choices')
  await page.locator('#test').waitFor({ state: 'hidden' })
  await close(till)
})

test("a merchant's template has the merchant's title, also without a network", async () => {
  const till = await tills.paired({ templates: ['tasting_guest', 'age_over_18'] })
  const { page, context } = till
  const titles = () => page.locator('.choices button').allInnerTexts()
  assert.deepEqual(await titles(), ['Guest of the wine tasting', '18 or older?'])
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await page.reload()
  await page.waitForSelector('.choices')
  await context.setOffline(true)
  await page.reload()
  await page.waitForSelector('.choices')
  assert.deepEqual(await titles(), ['Guest of the wine tasting', '18 or older?'])
  await page.locator('#connection').waitFor()
  await context.setOffline(false)
  // The choices are drawn again when the connection is back: a tap before that could be lost.
  await page.locator('#connection').waitFor({ state: 'hidden' })
  await page.tap('[data-template=tasting_guest]')
  await assertText(page.locator('h1').first(), 'Guest of the wine tasting')
  await close(till)
})

test('the till says No for too young, and not proven for an expired verification', async () => {
  const till = await tills.paired({ width: 390, locale: 'de-DE' })
  const { page } = till
  const { issuer, now } = wallet.options
  const born = new Date((now - 10 * 365 * 86_400) * 1000).toISOString().slice(0, 10)
  const credentials = issueAll(issuer, { holderKey: generateKey(), now, person: { ...CHILD, birthDate: born } })
  await page.tap('[data-template=age_over_18]')
  const walletUri = await readCode(page)
  const body = await validBody(wallet, await wallet.request(walletUri), { credentials })
  assert.equal((await respond(service, idOf(walletUri), body)).status, 200)
  const no = await outcome(page)
  assert.deepEqual([no.kind, no.text.split('\n')[0]], ['no', 'Nein'])
  await page.tap('text=Weiter')
  await page.tap('[data-template=age_over_18]')
  await readCode(page)
  service.clock.advance(300_001)
  const late = await outcome(page)
  assert.equal(late.kind, 'unproven')
  assert.match(late.text, /^Nicht nachgewiesen\s+Mindestens 18\?\s+Die Zeit ist abgelaufen/)
  await assertText(page.locator('#live').first(), 'Nicht nachgewiesen. Die Zeit ist abgelaufen.')
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  assert.ok(overflow <= 0, `${overflow} pixels wider than the window`)
  await close(till)
})

test('a cancelled verification can no longer be answered', async () => {
  const till = await tills.paired()
  const { page } = till
  await page.tap('[data-template=age_over_18]')
  const walletUri = await readCode(page)
  const body = await validBody(wallet, await wallet.request(walletUri))
  await page.tap('text=Cancel')
  await page.waitForSelector('.choices')
  assertRefused(await respond(service, idOf(walletUri), body), 410, 'session_expired')
  await close(till)
})

test('if the wallet was faster than Cancel, its answer is shown', async () => {
  const till = await tills.paired()
  const { page } = till
  await page.route('**/status', (route) => route.abort())
  await page.tap('[data-template=age_over_18]')
  await wallet.present(await readCode(page))
  await page.tap('text=Cancel')
  await page.unroute('**/status')
  assert.equal((await outcome(page)).kind, 'yes')
  await close(till)
})

test('without a connection, Cancel says so, and takes effect when the connection is back', async () => {
  const till = await tills.paired()
  const { page } = till
  await page.tap('[data-template=age_over_18]')
  const id = idOf(await readCode(page))
  const back = await cutOff(page)
  await page.tap('text=Cancel')
  await page.waitForSelector('.notice')
  await assertText(page.locator('.notice').first(), /can still be answered/)
  assert.equal((await read(id)).status, 'pending')
  const cancelled = page.waitForResponse(/\/cancel$/)
  await back()
  assert.equal((await cancelled).status(), 200)
  assert.equal((await read(id)).status, 'expired')
  await page.locator('.notice').waitFor({ state: 'detached' })
  await close(till)
})

test('"No connection" disappears when the connection is back, on every screen and without a tap', async () => {
  const till = await tills.open()
  const { page } = till
  const sign = page.locator('#connection')
  const { json } = await registerDevice(service, key)
  // Not paired, so that no other code sends requests.
  let back = await cutOff(page)
  await page.fill('#code', json.pairing_code)
  await page.click('button[type=submit]')
  await sign.waitFor({ state: 'visible' })
  await back()
  await sign.waitFor({ state: 'hidden' })
  await page.fill('#code', json.pairing_code)
  await page.click('button[type=submit]')
  await page.waitForSelector('.choices')
  back = await cutOff(page)
  await page.tap('[data-template=age_over_18]')
  await page.waitForSelector('.notice')
  await sign.waitFor({ state: 'visible' })
  await page.selectOption('#language', 'de')
  await assertText(sign, 'Keine Verbindung')
  await back()
  await sign.waitFor({ state: 'hidden' })
  await page.locator('.notice').waitFor({ state: 'detached' })
  await close(till)
})

test('a link with a code works in a till that is already open, and leaves the address', async () => {
  const { json } = await registerDevice(service, key)
  const till = await tills.open()
  await till.page.evaluate((code) => location.assign(`/till#${code}`), json.pairing_code)
  await till.page.waitForFunction(
    (code) => document.querySelector<HTMLInputElement>('#code')?.value === code,
    json.pairing_code,
  )
  assert.equal(new URL(till.page.url()).hash, '')
  await close(till)
})

test('a guest pays and proves an age in one answer: the cashier types the amount, and the till shows what the wallet will show', async () => {
  await saveTemplate(service.deps, {
    realm: { tenantId: tenant, environment: 'test' },
    key: 'pay_over_18',
    document: {
      title: 'Pay, 18 or older',
      query: {
        credentials: [
          {
            id: 'p',
            format: 'dc+sd-jwt',
            meta: { vct_values: ['urn:eudi:pid:1'] },
            claims: [{ path: ['age_equal_or_over', '18'] }],
          },
          CARD,
        ],
      },
      outputs: {
        age_over_18: { age_over: 18, flags: [{ credential: 'p', path: ['age_equal_or_over', '18'], age: 18 }] },
      },
      transaction: PAYMENT_TO_FILL_IN,
    },
    actor: OPERATOR,
  })
  const till = await tills.paired({ width: 390, templates: ['pay_over_18'] })
  const { page } = till
  const display = await till.context.newPage()
  await display.goto(`${service.base}/till#display`)
  await page.click('#settings')
  await page.fill('#display-code', await display.innerText('.display-code'))
  await page.click('.inline button')
  await page.waitForSelector('#display-off')
  await page.click('#back')
  await page.tap('[data-template=pay_over_18]')
  await page.fill('#field-amount', 'much')
  await page.click('button[type=submit]')
  await assertText(page.locator('#field-amount ~ .wrong').first(), 'Enter an amount, for example 12.50.')
  await assertAccessible(page)
  // Until the till knows what the guest agrees to, there is no code to scan.
  const [requested, locked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/transaction', async (route) => {
    requested.resolve()
    await locked.promise
    await route.continue()
  })
  await page.fill('#field-amount', '9,90')
  await page.click('button[type=submit]')
  await within('the till asks for the transaction', requested.promise)
  await assertCount(display.locator('.code'), 0)
  await assertCount(page.locator('.elsewhere, .code'), 0)
  locked.resolve()
  const walletUri = await readCode(display)
  await assertText(display.locator('.agreement').first(), 'Pay €9.90 to Corner Shop')
  await assertAccessible(display)
  await page.click('text=Show the code here')
  assert.equal(await readCode(page), walletUri)
  await assertText(page.locator('.agreement').first(), 'Pay €9.90 to Corner Shop')
  await wallet.present(walletUri)
  const answer = await outcome(page)
  assert.equal(answer.kind, 'yes')
  assert.match(answer.text, /Payment confirmed\n+€9\.90\n+to Corner Shop\n+18 or older/)
  const { json } = await service.call('GET', `/v1/verifications/${idOf(walletUri)}/transaction`, { key })
  assert.equal(json.transaction[0].confirmed, true)
  await close(till)
})
