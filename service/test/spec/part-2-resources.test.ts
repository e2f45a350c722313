// Specification part 2: the resources of a merchant. One test per sentence.

import assert from 'node:assert/strict'
import test from 'node:test'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read } from '../wallet/verifications.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const wallet = await testWallet(service)
const key = await service.key(await service.tenant())
const FULL = {
  template: 'identity',
  metadata: { order: '4711' },
  purpose: 'Opening an account',
  redirect_url: 'https://shop.example/back',
  webhook_url: 'http://127.0.0.1:9/hook',
}

test('2 timestamps are ISO 8601 date-times in UTC that end in Z; dates are YYYY-MM-DD', async () => {
  const created = await create(service, key)
  await wallet.present(created.wallet_uri)
  const result = await read(service, key, created.id)
  for (const field of ['created_at', 'expires_at', 'responded_at']) {
    assert.match(result[field], /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/, field)
  }
  const usage = await service.call('GET', '/v1/usage', { key })
  assert.match(usage.json.day, /^\d{4}-\d{2}-\d{2}$/)
})

test('2.1 a pending verification has its required fields and the given ones, and no other property', async () => {
  const created = await create(service, key, FULL)
  assert.deepEqual(Object.keys(created), [
    'id',
    'status',
    'template',
    'wallet_uri',
    'request_uri',
    'metadata',
    'purpose',
    'redirect_url',
    'created_at',
    'expires_at',
  ])
  assert.deepEqual(Object.keys(await create(service, key, { query: ANY_PID })), [
    'id',
    'status',
    'wallet_uri',
    'request_uri',
    'created_at',
    'expires_at',
  ])
})

const ANY_PID = {
  credentials: [
    { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['family_name'] }] },
  ],
}

test('2.1 id is opaque: a type prefix followed by random characters, never the same twice', async () => {
  const ids = new Set<string>()
  for (let i = 0; i < 20; i += 1) ids.add((await create(service, key)).id)
  assert.equal(ids.size, 20)
  for (const id of ids) assert.match(id, /^ver_[0-9A-Za-z]{32}$/)
})

test('2.1 wallet_uri is an openid4vp:// URI that carries request_uri; only pending verifications have them', async () => {
  const created = await create(service, key)
  const uri = new URL(created.wallet_uri)
  assert.equal(uri.protocol, 'openid4vp:')
  assert.equal(uri.searchParams.get('request_uri'), created.request_uri)
  assert.match(uri.searchParams.get('client_id') ?? '', /^x509_hash:/)
  assert.equal(created.request_uri, `https://verify.example.com/wallet/request/${created.id}`)
  await wallet.present(created.wallet_uri)
  const completed = await read(service, key, created.id)
  assert.ok(!('wallet_uri' in completed) && !('request_uri' in completed))
  const failing = await create(service, key)
  await wallet.present(failing.wallet_uri, 'declined')
  const failed = await read(service, key, failing.id)
  assert.ok(!('wallet_uri' in failed) && !('request_uri' in failed))
  const lapsing = await create(service, key, { template: 'identity', ttl_seconds: 60 })
  service.clock.advance(60_001)
  const expired = await read(service, key, lapsing.id)
  assert.equal(expired.status, 'expired')
  assert.ok(!('wallet_uri' in expired) && !('request_uri' in expired))
})

test('2.1 a completed verification has claims and credentials, a failed verification has error and credentials', async () => {
  const created = await create(service, key, FULL)
  await wallet.present(created.wallet_uri)
  const completed = await read(service, key, created.id)
  assert.deepEqual(Object.keys(completed.claims).sort(), ['birth_date', 'family_name', 'given_name'])
  assert.equal(completed.credentials.length, 1)
  assert.equal(completed.error, undefined)
  const failing = await create(service, key, FULL)
  await wallet.present(failing.wallet_uri, 'untrusted')
  const failed = await read(service, key, failing.id)
  assert.equal(failed.claims, undefined)
  assert.deepEqual(Object.keys(failed.error).sort(), ['code', 'message'])
})

test('2.1 metadata, purpose, template and redirect_url are echoed on results', async () => {
  const created = await create(service, key, FULL)
  await wallet.present(created.wallet_uri)
  const result = await read(service, key, created.id)
  for (const field of ['metadata', 'purpose', 'template', 'redirect_url'] as const) {
    assert.deepEqual(result[field], FULL[field])
  }
  assert.equal(result.webhook_url, undefined)
})

test('2.5 usage has all five fields: the day, what was created, the quota, the rest, and recent days', async () => {
  const tenant = await service.tenant({ dailyQuota: 10 })
  const counting = await service.key(tenant)
  const empty = await service.call('GET', '/v1/usage', { key: counting })
  const day = new Date(service.clock.now()).toISOString().slice(0, 10)
  assert.deepEqual(empty.json, { day, verifications_created: 0, daily_quota: 10, remaining: 10, recent: [] })
  for (let i = 0; i < 3; i += 1) await create(service, counting)
  const spent = await service.call('GET', '/v1/usage', { key: counting })
  assert.deepEqual(spent.json, {
    day,
    verifications_created: 3,
    daily_quota: 10,
    remaining: 7,
    recent: [{ day, verifications_created: 3 }],
  })
})

test('2.5 both environments count on one budget of the tenant', async () => {
  const tenant = await service.tenant({ dailyQuota: 10 })
  await create(service, await service.key(tenant, { environment: 'test' }))
  const live = await service.key(tenant, { environment: 'live' })
  await create(service, live)
  assert.equal((await service.call('GET', '/v1/usage', { key: live })).json.verifications_created, 2)
})

test('2.6 an erasure names the verification, the rows hard-deleted per table, and when', async () => {
  const created = await create(service, key, FULL)
  await wallet.present(created.wallet_uri)
  service.clock.advance(1000)
  const full = await service.call('DELETE', `/v1/verifications/${created.id}`, { key })
  assert.deepEqual(full.json.deleted, { verification_sessions: 1, verification_results: 1, webhook_deliveries: 1 })
  assert.equal(full.json.id, created.id)
  assert.equal(Date.parse(full.json.erased_at), service.clock.now())
  const pending = await create(service, key)
  const bare = await service.call('DELETE', `/v1/verifications/${pending.id}`, { key })
  assert.deepEqual(bare.json.deleted, { verification_sessions: 1, verification_results: 0, webhook_deliveries: 0 })
})

test('2.9 built-in templates and tenant templates both exist', async () => {
  const { saveTemplate } = await import('../../src/core/templates/usecases/manage-templates.ts')
  const tenantId = await service.tenant()
  const own = await service.key(tenantId)
  const saved = await saveTemplate(service.deps, {
    realm: { tenantId, environment: 'test' },
    key: 'surname',
    document: { query: ANY_PID },
    actor: { type: 'operator', id: 'test' },
  })
  assert.equal(saved.outcome, 'created')
  assert.equal((await create(service, own, { template: 'age_over_18' })).status, 'pending')
  const created = await create(service, own, { template: 'surname' })
  await wallet.present(created.wallet_uri)
  const result = await read(service, own, created.id)
  assert.equal(result.template, 'surname')
  assert.deepEqual(Object.keys(result.claims), ['family_name'])
})
