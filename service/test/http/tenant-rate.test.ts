// Tests the rate per tenant: more keys do not circumvent it, and a long query costs more than a template.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { priceOf } from '../../src/core/http/principal.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { type TestClient, testClient } from '../harness/openid-client.ts'
import { testService } from '../harness/service.ts'
import { CALLBACK, callToken, ownSecret } from '../oidc/callers.ts'

const first = await testService()
const rates = { ...first.deps.config.rates, key: { perSecond: 50, burst: 100 }, tenant: { perSecond: 1, burst: 20 } }
const service = await testService({ rates })

const query = (claims: number) => ({
  credentials: [
    {
      id: 'it',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: Array.from({ length: claims }, (_, at) => ({ path: ['address', `a_claim_with_a_long_name_${at}`] })),
    },
  ],
})

async function keysOf(count: number) {
  const tenant = await service.tenant()
  const keys: string[] = []
  for (let nth = 0; nth < count; nth += 1) keys.push(await service.key(tenant))
  return keys
}

test("a hundred keys of a tenant together have the tenant's rate; another tenant is not affected", async () => {
  const keys = await keysOf(100)
  const [other = ''] = await keysOf(1)
  const answers = []
  for (const key of keys) answers.push(await service.call('GET', '/v1/usage', { key }))
  assert.equal(answers.filter(({ status }) => status === 200).length, 20)
  const refused = answers.at(-1)
  assert.ok(refused?.status === 429 && refused.json.error.code === 'rate_limit_exceeded')
  assert.ok(Number(refused.headers['retry-after']) >= 1)
  assert.equal((await service.call('GET', '/v1/usage', { key: other })).status, 200)
  service.clock.advance(2_000)
  assert.equal((await service.call('GET', '/v1/usage', { key: keys[0] ?? '' })).status, 200)
})

test("a hundred OpenID clients together have the tenant's rate; calls of a client without a secret cost nothing", async () => {
  const tenant = await service.tenant()
  const key = await service.key(tenant)
  const named = { redirectUris: [CALLBACK] }
  const clients: TestClient[] = []
  for (let nth = 0; nth < 100; nth += 1)
    clients.push(await testClient(service, tenant, { ...named, environment: nth < 50 ? 'test' : 'live' }))
  const statuses = []
  for (const client of clients)
    statuses.push((await callToken(service, client, { ...ownSecret(client), code: 'x' })).status)
  assert.deepEqual([...new Set(statuses.slice(0, 20))], [400])
  assert.deepEqual([...new Set(statuses.slice(20))], [429])
  assert.equal((await service.call('GET', '/v1/usage', { key })).status, 429)

  const open = await service.tenant()
  const anyone = await testClient(service, open, { ...named, authMethod: 'none' })
  for (let called = 0; called < 30; called += 1)
    await callToken(service, anyone, { client_id: anyone.client.id, code: 'x' }, {})
  assert.equal((await service.call('GET', '/v1/usage', { key: await service.key(open) })).status, 200)
})

test('a long query costs as much as many templates', async () => {
  const [key = ''] = await keysOf(1)
  const long = { query: query(450), purpose: 'A long one' }
  assert.ok(JSON.stringify(long).length > 20_000)
  const call = (body: object) => service.call('POST', '/v1/verifications', { key, body })
  // The price of a long query is spent before it is read, whatever its outcome.
  await call(long)
  let created = 0
  for (let nth = 0; nth < 20; nth += 1) created += (await call({ template: 'age_over_18' })).status === 201 ? 1 : 0
  assert.equal(created, 20 - (1 + Math.floor(JSON.stringify(long).length / 2_048)))
})

test('one key with long bodies leaves half of the rate to the other keys of its tenant', async () => {
  const [till = '', server = ''] = await keysOf(2)
  // Each call costs five of the tenant's twenty units.
  const body = { query: query(1), purpose: 'x'.repeat(4 * 2_048) }
  const statuses = []
  for (let sent = 0; sent < 6; sent += 1)
    statuses.push((await service.call('POST', '/v1/verifications', { key: till, body })).status)
  assert.deepEqual(statuses.slice(2), [429, 429, 429, 429])
  for (let nth = 0; nth < 10; nth += 1)
    assert.equal((await service.call('GET', '/v1/usage', { key: server })).status, 200, `${nth}`)
  assert.equal(
    (await service.call('GET', '/v1/usage', { key: till })).status,
    429,
    'the rate of the tenant has not grown',
  )
})

test('a body without a content length costs as much as the longest', () => {
  const price = (headers: Record<string, string>) => priceOf({ headers, routeOptions: { bodyLimit: 65_536 } as never })
  assert.deepEqual([price({}), price({ 'content-length': '100' }), price({ 'content-length': '23000' })], [1, 1, 12])
  assert.equal(price({ 'transfer-encoding': 'chunked' }), 33)
  assert.equal(price({ 'transfer-encoding': 'chunked', 'content-length': '1' }), 33)
  assert.equal(price({ 'content-length': 'x' }), 33)
})

test('by default a tenant has ten times the rate of a key', () => {
  assert.deepEqual(readConfig({}).rates.tenant, { perSecond: 500, burst: 1_000 })
  assert.deepEqual(readConfig({ VIDIMUS_RATE_KEY: '5/10' }).rates.tenant, { perSecond: 50, burst: 100 })
  assert.deepEqual(readConfig({ VIDIMUS_RATE_TENANT: '7/9' }).rates.tenant, { perSecond: 7, burst: 9 })
})
