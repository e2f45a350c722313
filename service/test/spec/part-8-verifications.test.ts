// Specification part 8: limits of the fields of a verification, and the effect of the daily quota.

import assert from 'node:assert/strict'
import test from 'node:test'
import { changeTenant } from '../../src/core/tenants/usecases/manage-tenants.ts'
import { createCreations } from '../../src/core/verifications/usecases/asking/commit-creations.ts'
import { createVerification } from '../../src/core/verifications/usecases/asking/create-verification.ts'
import { creationContributions } from '../../src/features.ts'
import type { Batcher } from '../../src/platform/event-loop/batch.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'

const service = await testService()
const { call, clock } = service
const key = await service.key(await service.tenant())
const post = (body: unknown, bearer = key) => call('POST', '/v1/verifications', { key: bearer, body })
const ASKED = { template: 'identity' }

const text = (length: number) => 'x'.repeat(length)
const record = (count: number, name: (i: number) => string, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), value]))

const limits: [string, Record<string, unknown>, number][] = [
  ['ttl_seconds 60', { ttl_seconds: 60 }, 201],
  ['ttl_seconds 3600', { ttl_seconds: 3600 }, 201],
  ['ttl_seconds 59', { ttl_seconds: 59 }, 400],
  ['ttl_seconds 3601', { ttl_seconds: 3601 }, 400],
  ['ttl_seconds 60.5', { ttl_seconds: 60.5 }, 400],
  ['ttl_seconds as a string', { ttl_seconds: '60' }, 400],
  ['ttl_seconds null', { ttl_seconds: null }, 400],
  ['purpose of 1 character', { purpose: 'x' }, 201],
  ['purpose of 300 characters', { purpose: text(300) }, 201],
  ['purpose of 300 characters outside the basic plane', { purpose: '\u{1f377}'.repeat(300) }, 201],
  ['purpose of 301 characters', { purpose: text(301) }, 400],
  ['purpose empty', { purpose: '' }, 400],
  ['purpose with a control character', { purpose: 'a\nb' }, 400],
  ['purpose with U+0000', { purpose: 'a\u0000b' }, 400],
  ['metadata of 50 members', { metadata: record(50, String, 'x') }, 201],
  ['metadata of 51 members', { metadata: record(51, String, 'x') }, 400],
  ['metadata with a name of 64 characters', { metadata: { [text(64)]: 'x' } }, 201],
  ['metadata with a name of 65 characters', { metadata: { [text(65)]: 'x' } }, 400],
  ['metadata with a value of 500 characters', { metadata: { a: text(500) } }, 201],
  ['metadata with a value of 501 characters', { metadata: { a: text(501) } }, 400],
]

for (const [what, body, status] of limits) {
  test(`8 ${what} is answered with ${status}`, async () => {
    const answer = await post({ ...ASKED, ...body })
    assert.equal(answer.status, status, answer.text)
    if (status === 400) assertRefused(answer, 400, 'invalid_request')
  })
}

test('8 a template key has 1 to 64 characters', async () => {
  assertRefused(await post({ template: '' }), 400, 'invalid_request')
  assertRefused(await post({ template: text(65) }), 400, 'invalid_request')
  assertRefused(await post({ template: text(64) }), 422, 'unknown_template')
})

test('8 the quota counts creations of a UTC day; when spent, it is 429 quota_exceeded with the seconds to midnight', async () => {
  const tenantId = await service.tenant({ dailyQuota: 3 })
  const bearer = await service.key(tenantId)
  const midnight = Math.ceil(clock.now() / 86_400_000) * 86_400_000
  clock.set(midnight - 90_500)
  for (let i = 0; i < 3; i += 1) assert.equal((await post({ template: 'identity' }, bearer)).status, 201)
  const refused = await post({ template: 'identity' }, bearer)
  assertRefused(refused, 429, 'quota_exceeded')
  assert.equal(refused.headers['retry-after'], '91')
  clock.set(midnight - 1)
  assert.equal((await post({ template: 'identity' }, bearer)).headers['retry-after'], '1')
  clock.set(midnight)
  assert.equal((await post({ template: 'identity' }, bearer)).status, 201)
  const { json } = await call('GET', '/v1/usage', { key: bearer })
  assert.equal(json.verifications_created, 1)
  assert.deepEqual(
    json.recent.map((row: { verifications_created: number }) => row.verifications_created),
    [1, 3],
  )
})

test('8 a client that waits as long as Retry-After says succeeds', async () => {
  const bearer = await service.key(await service.tenant({ dailyQuota: 1 }))
  await post({ template: 'identity' }, bearer)
  const refused = await post({ template: 'identity' }, bearer)
  clock.advance(Number(refused.headers['retry-after']) * 1000)
  assert.equal((await post({ template: 'identity' }, bearer)).status, 201)
})

test('8 refusals and faults cost nothing', async () => {
  const tenantId = await service.tenant({ dailyQuota: 5 })
  const bearer = await service.key(tenantId)
  await post({ template: 'nothing' }, bearer)
  await post({ template: 'identity', ttl_seconds: 1 }, bearer)
  await post({ template: 'identity', webhook_url: 'http://10.0.0.1/' }, bearer)
  const { db } = service.deps
  await db.query({ name: 'test_away', text: 'alter table verifications rename column nonce to nonce_away' })
  assertRefused(await post({ template: 'identity' }, bearer), 500, 'internal_error')
  await db.query({ name: 'test_back', text: 'alter table verifications rename column nonce_away to nonce' })
  assert.equal((await call('GET', '/v1/usage', { key: bearer })).json.remaining, 5)
})

test('8 of simultaneous creations, the quota admits the first ones and refuses the rest', async () => {
  const bearer = await service.key(await service.tenant({ dailyQuota: 7 }))
  const answers = await Promise.all(Array.from({ length: 40 }, () => post({ template: 'identity' }, bearer)))
  assert.equal(answers.filter((answer) => answer.status === 201).length, 7)
  assert.equal(answers.filter((answer) => answer.status === 429).length, 33)
})

test('8 a quota of 0, or one below the usage, admits no creation; a raised quota admits creations at once', async () => {
  const none = await service.key(await service.tenant({ dailyQuota: 0 }))
  assertRefused(await post({ template: 'identity' }, none), 429, 'quota_exceeded')
  const tenantId = await service.tenant({ dailyQuota: 2 })
  const bearer = await service.key(tenantId)
  await post({ template: 'identity' }, bearer)
  await post({ template: 'identity' }, bearer)
  await changeTenant(service.deps, { tenantId, change: { dailyQuota: 1 }, actor: OPERATOR })
  assertRefused(await post({ template: 'identity' }, bearer), 429, 'quota_exceeded')
  await changeTenant(service.deps, { tenantId, change: { dailyQuota: 3 }, actor: OPERATOR })
  assert.equal((await post({ template: 'identity' }, bearer)).status, 201)
})

test('8 rate limiting applies per verification on its public poll', async () => {
  const strict = await testService({
    rates: { ...service.deps.config.rates, verification: { perSecond: 1, burst: 3 } },
  })
  const bearer = await strict.key(await strict.tenant())
  const ids: string[] = []
  for (let i = 0; i < 2; i += 1) {
    ids.push((await strict.call('POST', '/v1/verifications', { key: bearer, body: { template: 'identity' } })).json.id)
  }
  const poll = (id: string) => strict.call('GET', `/v1/verifications/${id}/status`)
  for (let i = 0; i < 3; i += 1) assert.equal((await poll(ids[0] ?? '')).status, 200)
  const refused = await poll(ids[0] ?? '')
  assertRefused(refused, 429, 'rate_limit_exceeded')
  assert.equal(refused.headers['retry-after'], '1')
  assert.equal((await poll(ids[1] ?? '')).status, 200)
  strict.clock.advance(1000)
  assert.equal((await poll(ids[0] ?? '')).status, 200)
})

test('8 a refusal before midnight has the seconds to that midnight, even if it passes before the answer', async () => {
  const tenantId = await service.tenant({ dailyQuota: 0 })
  const { deps } = service
  const lastMoment = Math.ceil(clock.now() / 86_400_000) * 86_400_000 - 1
  clock.set(lastMoment)
  const batcher: Batcher = {
    isBusy: () => true,
    async add(work, needs, input) {
      const creation = await deps.batcher.add(work, needs, input)
      clock.advance(5)
      return creation
    },
  }
  const principal = { kind: 'api_key', keyId: 'key', tenantId, environment: 'test', scopes: [] } as const
  const creations = createCreations({ ...deps, batcher, composed: creationContributions(deps) })
  const created = createVerification({ ...deps, creations }, { principal, request: ASKED, idempotencyKey: null })
  await assert.rejects(created, { code: 'quota_exceeded', retryAfterSeconds: 1 })
})
