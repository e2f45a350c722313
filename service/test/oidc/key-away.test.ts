// Tests an external key that does not sign ID tokens: the code stays valid for its minute, and works only once.

import assert from 'node:assert/strict'
import test from 'node:test'
import { memoryProvider } from '../harness/keys/memory-provider.ts'
import { testClient } from '../harness/openid-client.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { CALLBACK, callToken, callUserinfo, codeFor, ownSecret, payloadOf } from './callers.ts'

const provider = memoryProvider()
const env = { VIDIMUS_OIDC_KEYS: provider.referenceOf('oidc') }
const service = await testService({}, env, { remoteKeyOptions: { ...provider.remoteKeyOptions, deadlineMs: 60_000 } })
const wallet = await testWallet(service)
const tenant = await service.tenant()
const shop = await testClient(service, tenant, { redirectUris: [CALLBACK], idTokenAlg: 'ES256' })
const requested = () => [...provider.signatures.values()].reduce((sum, count) => sum + count, 0)
const token = (code: string, change: Record<string, string> = {}) =>
  callToken(service, shop, { ...ownSecret(shop), code, ...change })

test("if the key provider is unavailable at a tenant's first sign-in, no local key is created, and the code stays valid", async () => {
  const code = await codeFor(service, wallet, shop)
  provider.set('away')
  assertRefused(await token(code), 503, 'unavailable')
  provider.set('signs')
  assert.equal((await token(code)).status, 200)
})

test('the token call gets 503 with Retry-After while the key is unavailable; then the same code works, once', async () => {
  const code = await codeFor(service, wallet, shop)
  provider.set('away')
  for (let i = 0; i < 2; i += 1) {
    const answer = await token(code)
    assertRefused(answer, 503, 'unavailable')
    assert.equal(answer.headers['retry-after'], '5')
  }
  provider.set('signs')
  const answer = await token(code)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(payloadOf(answer.json.id_token).aud, shop.client.id)
  assert.equal((await callUserinfo(service, shop, answer.json.access_token)).status, 200)
  assert.equal((await token(code)).json.error, 'invalid_grant')
  assert.equal(
    (await callUserinfo(service, shop, answer.json.access_token)).status,
    401,
    'the second use of the code revoked the token',
  )
})

test('the minute of a code continues while the key is unavailable', async () => {
  const code = await codeFor(service, wallet, shop)
  provider.set('away')
  assert.equal((await token(code)).status, 503)
  service.clock.advance(60_000)
  provider.set('signs')
  assert.equal((await token(code)).json.error, 'invalid_grant')
})

test('a wrong call uses up the code even while the key is unavailable, and does not call the key', async () => {
  const code = await codeFor(service, wallet, shop)
  provider.set('away')
  const before = requested()
  assert.equal((await token(code, { code_verifier: 'w'.repeat(43) })).json.error, 'invalid_grant')
  assert.equal(requested(), before)
  provider.set('signs')
  assert.equal((await token(code)).json.error, 'invalid_grant')
})

test('of many calls with one code while the key is slow, one gets tokens, which are then revoked', async () => {
  const code = await codeFor(service, wallet, shop)
  provider.set('hangs')
  const before = requested()
  const calls = Array.from({ length: 6 }, () => token(code))
  await waitUntil('two signatures are in progress', () => requested() - before === 2)
  provider.set('signs')
  const answers = await Promise.all(calls)
  const issued = answers.filter(({ status }) => status === 200)
  assert.equal(issued.length, 1)
  for (const { status, json } of answers)
    if (status !== 200) assert.deepEqual([status, json.error], [400, 'invalid_grant'])
  for (const { json } of issued) assert.equal((await callUserinfo(service, shop, json.access_token)).status, 401)
})

for (const [what, method, path] of [
  ['erased', 'DELETE', ''],
  ['forgotten', 'POST', '/forget'],
] as const)
  test(`a verification that is ${what} while the key signs gives nothing`, async () => {
    // Advances the clock, so that the list begins with the newest verification.
    service.clock.advance(1_000)
    const code = await codeFor(service, wallet, shop)
    const key = await service.key(tenant)
    const { data } = (await service.call('GET', '/v1/verifications?limit=1', { key })).json
    provider.set('hangs')
    const before = requested()
    const call = token(code)
    await waitUntil('the signature is in progress', () => requested() - before === 1)
    const answer = await service.call(method, `/v1/verifications/${data[0].id}${path}`, { key })
    assert.equal(answer.status, 200, answer.text)
    provider.set('signs')
    assert.equal((await call).json.error, 'invalid_grant')
  })

test('if the tenant moves away while the key signs, the code stays valid in the other installation', async () => {
  const code = await codeFor(service, wallet, shop)
  const close = (until: string | null) =>
    service.deps.db.query(
      { name: 'test_close_tenant', text: 'update tenants set closed_until = $2::text::timestamptz where id = $1' },
      [tenant, until],
    )
  provider.set('hangs')
  const before = requested()
  const call = token(code)
  await waitUntil('the signature is in progress', () => requested() - before === 1)
  await close('infinity')
  provider.set('signs')
  assertRefused(await call, 503, 'unavailable')
  await close(null)
  service.clock.advance(1_100)
  assert.equal((await token(code)).status, 200)
})

test('a provider that refuses one kind of key does not create further keys of the other kind with each attempt', async () => {
  const other = await service.tenant()
  await testClient(service, other, { redirectUris: [CALLBACK] })
  const jwks = () => service.call('GET', `/oidc/${other}/test/jwks`)
  const created = provider.createdCount()
  provider.refuse('RS256')
  for (let i = 0; i < 3; i += 1) assertRefused(await jwks(), 503, 'unavailable')
  assert.equal(provider.createdCount() - created, 1)
  provider.refuse(null)
  assert.equal((await jwks()).status, 200)
  assert.equal(provider.createdCount() - created, 2)
})
