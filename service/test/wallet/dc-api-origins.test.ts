// Tests that the routes of the Digital Credentials API answer only pages of the verification's own origin (D17).

import assert from 'node:assert/strict'
import test from 'node:test'
import { readHostedPage } from '../../src/features/pages/usecases/read-hosted-page.ts'
import { addOrigin } from '../../src/features/trust/usecases/origins/manage-origins.ts'
import type { Answer } from '../harness/answer.ts'
import { browserAnswer, fetchOffer, OWN_ORIGIN, postAnswer } from '../harness/dc-api.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read } from './verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenantId = await service.tenant()
const key = await service.key(tenantId)
const [SHOP, OTHER] = ['http://localhost:5173', 'http://localhost:5174']
for (const origin of [SHOP, OTHER])
  await addOrigin(service.deps, { realm: { tenantId, environment: 'test' }, origin, actor: OPERATOR })
const body = { template: 'age_over_18' }
const hosted = await create(service, key, body)
const shop = await create(service, key, { ...body, origin: SHOP })

const preflight = (id: string, origin: string) =>
  service.call('OPTIONS', `/wallet/dc-api/${id}`, {
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
  })
const allowed = ({ headers }: Answer) => headers['access-control-allow-origin']

/** Which of the three requests' responses a page of that origin may read. */
const TABLE: readonly [what: string, id: string, origin: string, mayRead: boolean][] = [
  ['the hosted page', hosted.id, OWN_ORIGIN, true],
  ["the merchant's page", shop.id, SHOP, true],
  ['the hosted page of what another page asks', shop.id, OWN_ORIGIN, false],
  ["another page of the merchant's, proven too", shop.id, OTHER, false],
  ["the merchant's page of what the hosted page asks", hosted.id, SHOP, false],
  ['a stranger', shop.id, 'https://evil.example', false],
  ['a page without origin', shop.id, 'null', false],
  ['the origin with a slash', shop.id, `${SHOP}/`, false],
  ['the origin in capitals', shop.id, SHOP.toUpperCase(), false],
  ['any', shop.id, '*', false],
]
for (const [what, id, origin, mayRead] of TABLE) {
  test(`${what}: ${mayRead ? 'may read' : 'cannot read'}`, async () => {
    for (const send of [
      () => preflight(id, origin),
      () => fetchOffer(service, id, origin),
      () => postAnswer(service, id, {}, origin),
    ]) {
      const answer = await send()
      assert.equal(allowed(answer), mayRead ? origin : undefined)
      assert.equal(answer.headers['access-control-allow-credentials'], undefined)
      assert.match(String(answer.headers.vary), /\bOrigin\b/)
      if (!mayRead) assertRefused(answer, 422, 'origin_not_allowed')
    }
  })
}

test('a preflight says which methods and headers are allowed, and does nothing else', async () => {
  const { status, headers } = await preflight(shop.id, SHOP)
  assert.equal(status, 204)
  assert.equal(headers['access-control-allow-methods'], 'GET, POST')
  assert.equal(headers['access-control-allow-headers'], 'Content-Type')
})

test('D17: a good answer from another page ends nothing; from the right page it ends the verification', async () => {
  const { json: offer } = await fetchOffer(service, shop.id, SHOP)
  const answer = await browserAnswer(wallet, offer, { origin: SHOP })
  assertRefused(await postAnswer(service, shop.id, answer, 'https://evil.example'), 422, 'origin_not_allowed')
  assert.equal((await read(service, key, shop.id)).status, 'pending')
  assert.equal((await postAnswer(service, shop.id, answer, SHOP)).status, 200)
})

test('only the right page may read that it is too late; every page may read that there is no verification', async () => {
  const late = await postAnswer(service, shop.id, {}, SHOP)
  assertRefused(late, 409, 'session_already_responded')
  assert.equal(allowed(late), SHOP)
  for (const id of [`ver_${'0'.repeat(32)}`, 'x']) {
    const none = await fetchOffer(service, id, SHOP)
    assertRefused(none, 404, 'session_not_found')
    assert.equal(allowed(none), undefined)
  }
})

test('the hosted page knows whether it is the page that asks', async () => {
  assert.equal((await readHostedPage(service.deps, hosted.id)).asksInBrowser, true)
  assert.equal((await readHostedPage(service.deps, shop.id)).asksInBrowser, false)
})

test('both routes use the budget of the verification', async () => {
  const rates = { ...service.deps.config.rates, verification: { perSecond: 0.001, burst: 3 } }
  const tight = await testService({ rates })
  const created = await create(tight, await tight.key(await tight.tenant()), { ...body, browser_binding: 'none' })
  // The first request opens the hosted page, too.
  assert.equal((await fetchOffer(tight, created.id)).status, 200)
  assertRefused(await postAnswer(tight, created.id, {}), 400, 'invalid_wallet_response')
  assertRefused(await fetchOffer(tight, created.id), 429, 'rate_limit_exceeded')
  assertRefused(await postAnswer(tight, created.id, {}), 429, 'rate_limit_exceeded')
  // Answered before the verification is loaded, so to every page: it reveals nothing about the verification.
  for (const spent of [
    await fetchOffer(tight, created.id, OWN_ORIGIN),
    await postAnswer(tight, created.id, {}, OWN_ORIGIN),
  ]) {
    assertRefused(spent, 429, 'rate_limit_exceeded')
    assert.equal(allowed(spent), '*')
    assert.match(String(spent.headers['access-control-expose-headers']), /Retry-After/)
  }
})
