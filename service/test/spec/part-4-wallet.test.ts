// Specification 4.2 and 5.9: the wallet's routes. One test per sentence.

import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, FORM, respond, validBody } from '../wallet/verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const key = await service.key(await service.tenant())

test('4.2 GET /wallet/request/{sessionId} returns the JAR request object for the session', async () => {
  const created = await create(service, key)
  const answer = await service.call('GET', `/wallet/request/${created.id}`)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'application/oauth-authz-req+jwt')
  assert.equal((await wallet.request(created.wallet_uri, { method: 'get' })).responseUri.endsWith(created.id), true)
})

test('4.2 POST /wallet/response/{sessionId} accepts a form and answers 200 with only an optional redirect_uri', async () => {
  const plain = await create(service, key)
  const body = await validBody(wallet, await wallet.request(plain.wallet_uri))
  assert.deepEqual((await respond(service, plain.id, body)).json, {})
  const back = await create(service, key, { template: 'identity', redirect_url: 'https://shop.example.com/back' })
  const answer = await respond(service, back.id, await validBody(wallet, await wallet.request(back.wallet_uri)))
  assert.equal(answer.status, 200)
  assert.deepEqual(Object.keys(answer.json), ['redirect_uri'])
})

test('4.2 errors of /wallet/response are in the envelope: 400, 404, 409 session_already_responded, 410 session_expired', async () => {
  const created = await create(service, key, { template: 'identity', ttl_seconds: 60 })
  const body = await validBody(wallet, await wallet.request(created.wallet_uri))
  assertRefused(await respond(service, created.id, 'x=y'), 400, 'invalid_wallet_response')
  assertRefused(await respond(service, 'unknown', body), 404, 'session_not_found')
  await respond(service, created.id, body)
  assertRefused(await respond(service, created.id, body), 409, 'session_already_responded')
  const late = await create(service, key, { template: 'identity', ttl_seconds: 60 })
  service.clock.advance(61_000)
  assertRefused(await respond(service, late.id, body), 410, 'session_expired')
})

test('4.2, 8 a verification has its own budget: 429 rate_limit_exceeded with Retry-After; others are not affected', async () => {
  const tight = { ...service.deps.config.rates, verification: { perSecond: 1, burst: 3 } }
  const limited = await testService({ rates: tight })
  const owner = await limited.key(await limited.tenant())
  const [one, other] = [await create(limited, owner), await create(limited, owner)]
  for (let i = 0; i < 3; i += 1) await limited.call('GET', `/wallet/request/${one.id}`, { from: `198.51.100.${i}` })
  const answer = await limited.call('POST', `/wallet/response/${one.id}`, { headers: FORM, raw: 'x=y' })
  assertRefused(answer, 429, 'rate_limit_exceeded')
  assert.equal(answer.headers['retry-after'], '1')
  assert.equal((await limited.call('GET', `/wallet/request/${other.id}`)).status, 200)
  limited.clock.advance(1000)
  assert.equal((await limited.call('GET', `/wallet/request/${one.id}`)).status, 200)
})

test('5.9 on the wallet routes the id in the path is the capability: no key is required, and a key changes nothing', async () => {
  const created = await create(service, key)
  assert.equal((await service.call('GET', `/wallet/request/${created.id}`)).status, 200)
  const headers = { authorization: 'Bearer nonsense' }
  assert.equal((await service.call('GET', `/wallet/request/${created.id}`, { headers })).status, 200)
})

test('9 the wallet routes carry no version prefix', async () => {
  const created = await create(service, key)
  assertRefused(await service.call('GET', `/v1/wallet/request/${created.id}`), 404, 'not_found')
})
