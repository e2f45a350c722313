// Tests examples/shop against a running service.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { after } from 'node:test'
import type { Page } from 'playwright-core'
import { createShop } from '../../../examples/shop/shop.ts'
import { addOrigin } from '../../src/features/trust/usecases/origins/manage-origins.ts'
import { codeOnPhone, testClient, typeCode, walletUriOn } from '../harness/openid-client.ts'
import { assertAccessible } from '../harness/pages/accessible.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { OPERATOR } from '../harness/service.ts'
import { once } from '../harness/wait.ts'
import { startMerchant, testShop } from './shop-tests.ts'

const merchant = await startMerchant()
const { service, realm, wallet, apiKey, webhookSecret } = merchant
const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const address = `http://localhost:${(server.address() as AddressInfo).port}`
assert.equal((await addOrigin(service.deps, { realm, origin: address, actor: OPERATOR })).outcome, 'added')
const { issuer, client, secret } = await testClient(service, realm.tenantId, {
  redirectUris: [`${address}/callback`],
  templates: ['identity'],
  defaultTemplate: 'identity',
  claimsInIdToken: false,
})
const signIn = {
  issuer,
  clientId: client.id,
  clientSecret: secret ?? '',
  clockSkew: Math.round((service.clock.now() - Date.now()) / 1000),
}
const options = { address, vidimusUrl: service.base, apiKey, webhookSecret, isPublic: false, origin: address, signIn }
server.on('request', await createShop(options))
after(() => {
  server.close()
  server.closeAllConnections()
})

const add = (page: Page, name: string) => page.getByRole('button', { name: `Add to basket: ${name}` }).click()

async function checkOut(page: Page): Promise<void> {
  await page.getByRole('link', { name: /Basket/ }).click()
  await page.getByRole('button', { name: 'Check out' }).click()
}

testShop(address, merchant, {
  async buy(page) {
    await add(page, 'Riesling 2024')
    await checkOut(page)
  },
  async fillBasket() {
    const added = await fetch(`${address}/basket`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: address },
      body: new URLSearchParams({ add: 'red' }),
    })
    return (added.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  },
})

test('juice needs no wallet; paid by the wallet, wine takes one answer for age and payment', async () => {
  const page = await (await testBrowser()).newPage()
  await page.goto(address)
  await assertAccessible(page)
  await add(page, 'Grape juice')
  await checkOut(page)
  await page.locator('[data-state=sold]').waitFor()
  for (const [scenario, state] of [
    ['good', 'sold'],
    ['declined', 'refused'],
  ] as const) {
    await page.goto(address)
    await add(page, 'Crémant brut')
    await add(page, 'Two glasses')
    await page.goto(`${address}/basket`)
    await page.getByRole('button', { name: 'Remove: Two glasses' }).click()
    await page.getByText('Now, with the card in your wallet').click()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Check out' }).click()
    const link = (await page.locator('a[href^="openid4vp:"]').getAttribute('href')) ?? ''
    await assertAccessible(page)
    // In a grid, a container without a width gets one only from its column.
    assert.ok(((await page.locator('vidimus-verify').boundingBox())?.width ?? 0) > 300)
    await wallet.present(link, scenario)
    await page.locator(`[data-state=${state}]`).waitFor()
    await assertAccessible(page)
    const end = (await page.innerText('main')).replace(/\s+/g, ' ')
    const expected =
      state === 'sold'
        ? /Order SW-[0-9A-F]{10} Payment Paid with the card in your wallet Age 18 or older, confirmed by your wallet\. We did not receive your date of birth\. .*Crémant brut €16\.90 Total €16\.90/
        : /Nothing was ordered You declined, or your wallet has no matching ID\. Your basket is still there\./
    assert.match(end, expected)
    const id = /ver_\w+/.exec(link)?.[0] ?? ''
    const { transaction } = (await service.call('GET', `/v1/verifications/${id}/transaction`, { key: apiKey })).json
    const { payload } = JSON.parse(Buffer.from(transaction[0].data, 'base64url').toString())
    assert.equal(payload.amount, 16.9)
    assert.equal(transaction[0].confirmed, state === 'sold')
    await page.goto(`${address}/checkout`)
    await page.locator('.checkout a.button').click()
    // A refused customer tries again with the same basket.
    const ways = await page.getByRole('button', { name: 'Remove: Crémant brut' }).count()
    assert.equal(ways, state === 'sold' ? 0 : 1)
  }
  await page.context().close()
})

test('a sign-in by OpenID greets by name; the till opens paired', async () => {
  const page = await (await testBrowser()).newPage()
  await page.goto(address)
  await page.getByRole('link', { name: 'Sign in with your wallet' }).click()
  const { redirectUri } = await wallet.present(await walletUriOn(page))
  await typeCode(page, await codeOnPhone(String(redirectUri)))
  await page.getByText('Hello, Vida').waitFor()
  await page.getByRole('button', { name: 'Open the till for the counter' }).click()
  await page.waitForURL((url) => url.href.startsWith(`${service.base}/till`))
  await page.context().close()
})

test('a visitor without a wallet finds the test wallet, which opens the question', async () => {
  const page = await (await testBrowser()).newPage()
  await page.goto(address)
  await add(page, 'Riesling 2024')
  await checkOut(page)
  const href = (await page.locator('.test a').getAttribute('href')) ?? ''
  const opened = await fetch(href)
  assert.equal(opened.status, 200)
  assert.match(await opened.text(), /Confirm to Sonnenhof Wines that you are 18 or older – Test wallet/)
  await page.context().close()
})
