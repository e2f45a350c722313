// Tests the hosted page with the Digital Credentials API: Chromium's virtual wallet returns answers of the test wallet.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { changeSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import { listeningService } from '../harness/listening.ts'
import { assertAccessible } from '../harness/pages/accessible.ts'
import { wholeBrowser } from '../harness/pages/browser.ts'
import { assertText } from '../harness/pages/shown.ts'
import { answerOffer, offerOf, type VirtualWallet, virtualWallet } from '../harness/pages/virtual-wallet.ts'
import { OPERATOR } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { type Created, create, read } from '../wallet/verifications.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const key = await service.key(await service.tenant())
const browser = await wholeBrowser()
const origin = service.base

interface Opened {
  readonly created: Created
  readonly page: Page
  readonly platform: VirtualWallet
  readonly offer: unknown
}

async function open(
  body: object = { template: 'identity' },
  as = key,
  prepare: (page: Page) => Promise<unknown> = async () => undefined,
): Promise<Opened> {
  const created = await create(service, as, body)
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  await prepare(page)
  page.on('pageerror', (error) => assert.fail(error))
  const platform = await virtualWallet(page)
  const offer = await offerOf(page, created.id, () => page.goto(`${service.base}/verify/${created.id}`))
  await page.waitForSelector('[data-ask]:enabled')
  return { created, page, platform, offer }
}

const statusOf = async ({ id }: Created) => (await read(service, key, id)).status

/** The page is back at the button, with the other channels unfolded. */
async function assertBack({ page, created }: Pick<Opened, 'page' | 'created'>, isNoted: boolean): Promise<void> {
  await page.waitForSelector('[data-ways][open]')
  await page.waitForSelector('[data-ask]:enabled')
  await page.locator('svg[role=img]').first().waitFor()
  assert.equal(await page.isVisible('[data-note=failed]'), isNoted)
  assert.equal(await statusOf(created), 'pending')
}

for (const [protocol, format] of [
  ['openid4vp-v1-signed', 'dc+sd-jwt'],
  ['openid4vp-v1-signed', 'mso_mdoc'],
  ['org-iso-mdoc', 'mso_mdoc'],
] as const)
  test(`the page shows one button first, and a wallet answers: ${protocol}, ${format}`, async () => {
    const { created, page, platform, offer } = await open()
    await assertText(page.locator('[data-ask]').first(), 'Choose your wallet')
    // On a wide screen the code stays beside the button; on a phone it is folded.
    await page.locator('svg[role=img]:visible').first().waitFor()
    assert.ok(!(await page.isVisible('.ways summary')))
    await platform.respond(await answerOffer(wallet, offer, { origin, protocols: [protocol], formats: [format] }))
    await page.click('[data-ask]')
    await page.waitForSelector('[data-show=completed]:visible')
    await page.locator('[data-ask]').first().waitFor({ state: 'hidden' })
    const result = await read(service, key, created.id)
    assert.equal(result.status, 'completed')
    assert.deepEqual(
      result.credentials.map((credential: { format: string }) => credential.format),
      [format],
    )
    await page.context().close()
  })

test('the EU age profile works over both its channels: Annex C through the browser, and its link in a wallet', async () => {
  const tenantId = await service.tenant()
  await changeSettings(service.deps, { tenantId, change: { ageLink: true }, actor: OPERATOR })
  const own = await service.key(tenantId)
  const assertAge = async ({ id }: Created) => {
    const { status, claims, credentials } = await read(service, own, id)
    assert.deepEqual([status, claims], ['completed', { age_over_18: true }])
    const [{ format, doctype_or_vct: type }] = credentials
    assert.deepEqual([format, type], ['mso_mdoc', 'eu.europa.ec.av.1'])
  }

  const browsed = await open({ template: 'age_over_18' }, own)
  const options = { origin, protocols: ['org-iso-mdoc'], formats: ['mso_mdoc'] } as const
  await browsed.platform.respond(await answerOffer(wallet, browsed.offer, options))
  await browsed.page.click('[data-ask]')
  await browsed.page.waitForSelector('[data-show=completed]:visible')
  await assertAge(browsed.created)
  await browsed.page.context().close()

  const linked = await open({ template: 'age_over_18' }, own)
  const link = await linked.page.getAttribute('a[data-age]', 'href')
  assert.match(link ?? '', /^av:\/\/\?client_id=redirect_uri%3A/)
  assert.equal(await linked.page.innerText('a[data-age]'), 'Open the EU age app')
  await assertAccessible(linked.page)
  const holder = await linked.page.context().newPage()
  await holder.goto(`${service.base}/sandbox/wallet?uri=${encodeURIComponent(link ?? '')}`)
  await assertText(
    holder.locator('main').first(),
    /This request is not signed\. The answer goes to: .*\/wallet\/response\//,
  )
  assert.match(await holder.innerText('.held'), /EU age proof\s*mdoc\s+18 or older\s+Yes$/)
  assert.equal(await holder.locator('#way').count(), 0, "the age app opens by its link, not by the browser's API")
  await assertAccessible(holder)
  await holder.click('button[value=consent]')
  await assertText(holder.locator('h1').first(), 'Age check complete')
  await linked.page.waitForSelector('[data-show=completed]:visible')
  await linked.page.locator('a[data-age]').first().waitFor({ state: 'hidden' })
  await assertAge(linked.created)
  await linked.page.context().close()
})

test('after a cancelled request, or without a wallet, the page returns to the button, which can be pressed again', async () => {
  const opened = await open()
  const { page, platform, offer } = opened
  await platform.decline()
  await page.click('[data-ask]')
  await assertBack(opened, false)
  await platform.respond({ protocol: 'openid4vp-v1-signed', data: { error: 'access_denied' } })
  await page.click('[data-ask]')
  await assertBack(opened, false)
  await platform.respond(await answerOffer(wallet, offer, { origin }))
  await page.click('[data-ask]')
  await page.waitForSelector('[data-show=completed]:visible')
  await page.context().close()
})

test('an unreadable answer ends nothing: the page says so and shows the other channels', async () => {
  const opened = await open()
  const { page, platform, offer } = opened
  const misread = [
    { protocol: 'openid4vp-v1-signed', data: { response: 'nothing' } },
    await answerOffer(wallet, offer, { origin, misbehaviour: 'answer_in_clear' }),
    await answerOffer(wallet, offer, {
      origin,
      protocols: ['org-iso-mdoc'],
      misbehaviour: 'sealed_for_other_origin',
    }),
  ]
  for (const answer of misread) {
    await platform.respond(answer)
    await page.click('[data-ask]')
    await assertBack(opened, true)
  }
  await page.context().close()
})

test('a wallet refuses the request on another page, and the service refuses the answer of a wallet that does not check', async () => {
  const { created, page, platform, offer } = await open()
  for (const protocol of ['openid4vp-v1-signed', 'org-iso-mdoc'])
    await assert.rejects(
      answerOffer(wallet, offer, { origin: 'https://thief.example', protocols: [protocol] }),
      /origin_unexpected|reader_auth_invalid/,
    )
  await platform.respond(
    await answerOffer(wallet, offer, { origin, formats: ['dc+sd-jwt'], misbehaviour: 'aud_of_other_origin' }),
  )
  await page.click('[data-ask]')
  await page.waitForSelector('[data-show=failed]:visible')
  assert.equal((await read(service, key, created.id)).error.code, 'holder_binding_invalid')
  await page.context().close()
})

test('a page that no longer belongs to its browser is loaded again when an answer is refused', async () => {
  const tenantId = await service.tenant()
  const change = (browserBinding: 'first' | 'none') =>
    changeSettings(service.deps, { tenantId, change: { browserBinding }, actor: OPERATOR })
  await change('none')
  const own = await service.key(tenantId)
  const { created, page, platform, offer } = await open(undefined, own)
  await change('first')
  await platform.respond(await answerOffer(wallet, offer, { origin }))
  const answered = page.waitForResponse((response) => response.url().endsWith('/hold'))
  await page.click('[data-ask]')
  assert.deepEqual(await (await answered).json(), { held: 'here' })
  await page.click('[data-ask]:enabled')
  await page.waitForSelector('[data-show=completed]:visible')
  assert.equal((await read(service, own, created.id)).status, 'completed')
  await page.context().close()
})

test('without a user gesture the browser asks no wallet', async () => {
  const created = await create(service, key, { template: 'identity', browser_binding: 'none' })
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  const platform = await virtualWallet(page)
  const offer = (await service.call('GET', `/wallet/dc-api/${created.id}`)).json
  await platform.respond(await answerOffer(wallet, offer, { origin }))
  // Anything that a test evaluates counts as a gesture, so the page's own script clicks and reports.
  await page.addInitScript(`{
    const look = () => {
      const button = document.querySelector('[data-ask]:enabled')
      if (button === null) return setTimeout(look, 10)
      button.click()
      console.log('clicked')
    }
    look()
  }`)
  const clicked = page.waitForEvent('console', (message) => message.text() === 'clicked')
  await page.goto(`${service.base}/verify/${created.id}`)
  await clicked
  await assertBack({ page, created }, false)
  // With a gesture the browser asks wallets, and the same answer is accepted.
  await platform.respond(await answerOffer(wallet, offer, { origin }))
  await page.click('[data-ask]')
  await page.waitForSelector('[data-show=completed]:visible')
  await page.context().close()
})

test('nothing runs between the click and the call of the API', async () => {
  const { page, platform, offer } = await open()
  await platform.respond(await answerOffer(wallet, offer, { origin }))
  const requests: string[] = []
  page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await page.evaluate(() => {
    const { get } = navigator.credentials
    navigator.credentials.get = function (...parameters) {
      document.body.dataset.asked = 'true'
      return get.apply(this, parameters)
    }
    // This listener is called after the page's own, in the same task.
    document.querySelector('[data-ask]')?.addEventListener('click', () => {
      document.body.dataset.inTask = document.body.dataset.asked ?? 'false'
    })
  })
  await page.click('[data-ask]')
  await page.waitForSelector('[data-show=completed]:visible')
  assert.equal(await page.getAttribute('body', 'data-in-task'), 'true')
  assert.ok(!requests.some((line) => line.startsWith('GET /wallet/dc-api/')))
  await page.context().close()
})

test('the page redirects to the merchant with the response code, like a wallet', async () => {
  const back = `${service.base}/docs`
  const { created, page, platform, offer } = await open({ template: 'identity', redirect_url: back })
  await platform.respond(await answerOffer(wallet, offer, { origin }))
  await page.click('[data-ask]')
  await page.waitForURL(`${back}#response_code=*`)
  const code = new URL(page.url()).hash.replace('#response_code=', '')
  const redeemed = await service.call('POST', `/v1/verifications/${created.id}/redeem`, {
    key,
    body: { response_code: code },
  })
  assert.equal(redeemed.status, 200, redeemed.text)
  await page.context().close()
})

test('under HAIP the page stays and shows the outcome, and gets no response code', async () => {
  const strict = await service.tenant()
  await changeSettings(service.deps, { tenantId: strict, change: { haip: true }, actor: OPERATOR })
  const { created, page, platform, offer } = await open({ template: 'identity' }, await service.key(strict))
  await platform.respond(await answerOffer(wallet, offer, { origin }))
  const posted = page.waitForResponse((response) => response.request().method() === 'POST')
  await page.click('[data-ask]')
  assert.deepEqual(await (await posted).json(), {})
  await page.waitForSelector('[data-show=completed]:visible')
  assert.equal(page.url(), `${service.base}/verify/${created.id}`)
  await page.context().close()
})

test('if a phone answers by the code while the chooser is open, the chooser closes and the page continues', async () => {
  const { created, page, platform } = await open()
  await platform.wait()
  await page.click('[data-ask]')
  await page.waitForSelector('[data-ask]:disabled')
  await wallet.present(created.wallet_uri)
  await page.waitForSelector('[data-show=completed]:visible')
  await page.context().close()
})

test('of two answers at once, one by the code and one by the browser, exactly one wins', async () => {
  for (let round = 0; round < 4; round += 1) {
    const sent = Promise.withResolvers<void>()
    // If the page learned of the other answer first, it would close the chooser, and there would be no second answer.
    const unaware = async (page: Page) => {
      await page.route('**/events', (route) => route.fulfill({ status: 429 }))
      await page.route('**/progress', async (route) => {
        await sent.promise
        await route.continue()
      })
    }
    const { created, page, platform, offer } = await open(undefined, undefined, unaware)
    await platform.respond(await answerOffer(wallet, offer, { origin }))
    const posted = page.waitForResponse((response) => response.request().method() === 'POST')
    const [byCode] = await Promise.all([wallet.present(created.wallet_uri), page.click('[data-ask]')])
    const statuses = [byCode.status, (await posted).status()]
    sent.resolve()
    assert.deepEqual(statuses.toSorted(), [200, 409])
    await page.waitForSelector('[data-show=completed]:visible')
    assert.equal(await statusOf(created), 'completed')
    await page.context().close()
  }
})

test('without the API, or with no protocol that it supports, the page is the usual one', async () => {
  const without = [
    'delete globalThis.DigitalCredential',
    'DigitalCredential.userAgentAllowsProtocol = () => false',
    'globalThis.fetch = () => Promise.reject(new TypeError("away"))',
  ]
  for (const script of without) {
    const created = await create(service, key)
    const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
    await page.addInitScript(script)
    await page.goto(`${service.base}/verify/${created.id}`, { waitUntil: 'networkidle' })
    await page.locator('svg[role=img]').first().waitFor()
    for (const absent of ['summary', '[data-ask]']) await page.locator(absent).first().waitFor({ state: 'hidden' })
    await page.context().close()
  }
})
