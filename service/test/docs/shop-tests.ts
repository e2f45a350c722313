// Tests an example shop in any language: each way to get the result, and attempts to buy without an answer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signWebhook } from '@vidimus/sdk'
import type { Page } from 'playwright-core'
import type { Realm } from '../../src/core/tenants/domain/realm.ts'
import { showWebhookSecret } from '../../src/features/webhooks/usecases/manage-webhook-secret.ts'
import { listeningService } from '../harness/listening.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { OPERATOR, type TestService } from '../harness/service.ts'
import { type TestWallet, testWallet } from '../harness/wallet.ts'

/** A service with one merchant, for a shop that the test starts. */
export interface Merchant {
  readonly service: TestService & { readonly base: string }
  readonly realm: Realm
  readonly wallet: TestWallet
  readonly apiKey: string
  readonly webhookSecret: string
}

export async function startMerchant(): Promise<Merchant> {
  const service = await listeningService()
  const tenantId = await service.tenant({ name: 'Sonnenhof Wines' })
  const realm = { tenantId, environment: 'test' } as const
  const { secret } = await showWebhookSecret(service.deps, { realm, actor: OPERATOR })
  return {
    service,
    realm,
    wallet: await testWallet(service),
    apiKey: await service.key(tenantId),
    webhookSecret: secret,
  }
}

/** How to buy a bottle in shops that need more than one button. */
export interface Shopping {
  /** Goes from the front page to the request in a browser. */
  buy(page: Page): Promise<unknown>
  /** Returns the cookie of a customer with a bottle in the basket. */
  fillBasket(address: string): Promise<string>
}

const ONE_BUTTON: Shopping = { buy: (page) => page.click('button'), fillBasket: async () => '' }

/** The tests of a shop at `address`. */
export function testShop(address: string, merchant: Merchant, { buy, fillBasket } = ONE_BUTTON): void {
  const { service, wallet, apiKey, webhookSecret } = merchant
  const placeOrder = async () => order(address, await fillBasket(address))

  test('in a browser: after the answer the page sells the bottle without a reload', async () => {
    const page = await (await testBrowser()).newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await page.goto(address)
    await buy(page)
    const link = await page.locator('a[href^="openid4vp:"]').getAttribute('href')
    const { redirectUri } = await wallet.present(link ?? '')
    await page.locator('[data-state=sold]').waitFor()
    // The same browser gets the same page when the wallet redirects it later.
    await page.goto(redirectUri ?? '')
    await page.locator('[data-state=sold]').waitFor()
    assert.ok(!page.url().includes('response_code'))
    assert.deepEqual(
      complaints.filter((text) => !text.includes('favicon')),
      [],
    )
    await page.close()
  })

  test('by redemption: the code works once, and only in its own session', async () => {
    const buyer = await placeOrder()
    const other = await placeOrder()
    const { redirectUri } = await wallet.present(buyer.walletUri)
    const code = new URL(redirectUri ?? '').hash.replace('#response_code=', '')
    assert.equal((await other.post('/checkout/redeem', code)).status, 403)
    assert.equal((await buyer.post('/checkout/redeem', code, 'https://evil.example')).status, 403)
    assert.equal((await buyer.post('/checkout/redeem', 'x')).status, 403)
    assert.equal(await buyer.state(), 'waiting')
    assert.equal((await buyer.post('/checkout/redeem', code)).status, 200)
    assert.equal(await buyer.state(), 'sold')
    assert.equal((await buyer.post('/checkout/redeem', code)).status, 403)
    assert.equal(await other.state(), 'waiting')
  })

  test('by webhook: accepts only a signed one, for the order that it names', async () => {
    const buyer = await placeOrder()
    await wallet.present(buyer.walletUri)
    const id = /ver_\w+/.exec(buyer.walletUri)?.[0] ?? ''
    const verification = (await service.call('GET', `/v1/verifications/${id}`, { key: apiKey })).json
    const body = JSON.stringify({ type: 'verification.completed', verification, sent_at: verification.responded_at })
    const send = async (secret: string, text: string) =>
      (
        await fetch(`${address}/webhooks`, {
          method: 'POST',
          body: text,
          headers: { 'x-service-signature': await signWebhook(body, [secret]) },
        })
      ).status
    assert.equal(await send('whsec_another', body), 400)
    assert.equal(await send(webhookSecret, body.replace('completed', 'failed')), 400)
    assert.equal(await buyer.state(), 'waiting')
    assert.equal(await send(webhookSecret, body), 204)
    assert.equal(await buyer.state(), 'sold')
  })

  test('after a refusal nothing is sold, whatever the browser claims', async () => {
    const buyer = await placeOrder()
    assert.deepEqual(await (await buyer.post('/checkout/check')).json(), { state: 'waiting' })
    await wallet.present(buyer.walletUri, 'declined')
    assert.deepEqual(await (await buyer.post('/checkout/check', '{"status":"completed"}')).json(), { state: 'refused' })
    const stranger = await fetch(`${address}/checkout/check`, { method: 'POST', headers: { origin: address } })
    assert.equal(stranger.status, 403)
  })
}

interface Customer {
  readonly cookie: string
  readonly walletUri: string
  post(path: string, body?: string, origin?: string): Promise<Response>
  state(): Promise<string | undefined>
}

async function order(address: string, basket: string): Promise<Customer> {
  const placed = await fetch(`${address}/checkout`, {
    method: 'POST',
    headers: { origin: address, cookie: basket },
    redirect: 'manual',
  })
  assert.equal(placed.status, 303)
  const cookie = placed.headers.getSetCookie().at(-1)?.split(';')[0] ?? basket
  const page = async () => (await fetch(`${address}/checkout`, { headers: { cookie } })).text()
  const walletUri = (/="(openid4vp:[^"]+)"/.exec(await page())?.[1] ?? '').replaceAll('&amp;', '&')
  return {
    cookie,
    walletUri,
    post: (path, body = '', origin = address) =>
      fetch(`${address}${path}`, { method: 'POST', headers: { cookie, origin }, body }),
    state: async () => /data-state="(\w+)"/.exec(await page())?.[1],
  }
}
