// Specification part 5: authentication. One test per sentence.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { SCOPES } from '../../../wire/values/keys.ts'
import { revokeKey } from '../../src/core/tenants/usecases/manage-keys.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'

const service = await testService()
const tenant = await service.tenant()
const { call } = service
const DAY = 86_400_000

test('5.1 a merchant route requires the header Authorization: Bearer <API_KEY>', async () => {
  const key = await service.key(tenant)
  assert.equal((await call('GET', '/v1/usage', { key })).status, 200)
  assertRefused(await call('GET', '/v1/usage'), 401, 'invalid_api_key')
})

test('5.2 keys begin vk_test_ or vk_live_, and the prefix carries the environment', async () => {
  assert.match(await service.key(tenant, { environment: 'test' }), /^vk_test_[0-9A-Za-z]{38}$/)
  assert.match(await service.key(tenant, { environment: 'live' }), /^vk_live_[0-9A-Za-z]{38}$/)
})

test('5.2 only the SHA-256 hash and the first 12 characters of a key are stored', async () => {
  const key = await service.key(tenant)
  const hash = createHash('sha256').update(key).digest()
  const [row] = await service.deps.db.query<Record<string, unknown>>(
    { name: 'test_key_row', text: 'select * from api_keys where hash = $1' },
    [hash],
  )
  assert.equal(row?.prefix, key.slice(0, 12))
  assert.ok(!JSON.stringify(row).includes(key.slice(12)))
  assert.ok(!service.logged.join('').includes(key.slice(12)))
})

test('5.3 missing, malformed, revoked and unknown keys get the same answer', async () => {
  const revoked = await service.key(tenant)
  const [row] = await service.deps.db.query<{ id: string }>(
    { name: 'test_newest_key', text: 'select id from api_keys where prefix = $1 and hash = $2' },
    [revoked.slice(0, 12), createHash('sha256').update(revoked).digest()],
  )
  await revokeKey(service.deps, { tenantId: tenant, keyId: row?.id ?? '', actor: OPERATOR })
  const other = await testForeignKey()
  const headers = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Bearer ${revoked}`,
    `Bearer ${revoked.slice(0, -1)}`,
    `Bearer ${other}`,
    `Basic ${Buffer.from(revoked).toString('base64')}`,
    'Bearer vk_test_short',
    `Bearer ${revoked} extra`,
    `Bearer vd_${'a'.repeat(40)}`,
  ]
  const answers = await Promise.all(
    headers.map((authorization) =>
      call('GET', '/v1/usage', authorization === undefined ? {} : { headers: { authorization } }),
    ),
  )
  for (const answer of answers) {
    assertRefused(answer, 401, 'invalid_api_key')
    assert.equal(answer.text, answers[0]?.text)
  }
})

/** Returns a well-formed key that no store knows. */
async function testForeignKey(): Promise<string> {
  const { mintApiKey } = await import('../../src/core/tenants/domain/api-key.ts')
  return mintApiKey(service.deps.random, 'test')
}

test('5.4 a key without an expiry does not expire', async () => {
  const key = await service.key(tenant)
  service.clock.advance(400 * DAY)
  assert.equal((await call('GET', '/v1/usage', { key })).status, 200)
})

for (const days of [30, 90, 365]) {
  test(`5.4 a key of ${days} days answers api_key_expired after its expiry; the boundary is inclusive`, async () => {
    const key = await service.key(tenant, { expiresInDays: days })
    const end = service.clock.now() + days * DAY
    service.clock.set(end - 1)
    assert.equal((await call('GET', '/v1/usage', { key })).status, 200)
    service.clock.set(end)
    assertRefused(await call('GET', '/v1/usage', { key }), 401, 'api_key_expired')
    service.clock.set(end + 1)
    assertRefused(await call('GET', '/v1/usage', { key }), 401, 'api_key_expired')
  })
}

test('5.5 verifications:read grants GET /v1/usage, and no other scope does', async () => {
  for (const scope of SCOPES) {
    const key = await service.key(tenant, { scopes: [scope] })
    const answer = await call('GET', '/v1/usage', { key })
    assert.equal(answer.status, scope === 'verifications:read' ? 200 : 403, scope)
  }
})

test('5.6 a key that lacks the scope gets 403 insufficient_scope, and the message names the scope', async () => {
  const key = await service.key(tenant, { scopes: ['devices:manage'] })
  const answer = await call('GET', '/v1/usage', { key })
  assertRefused(answer, 403, 'insufficient_scope')
  assert.match(answer.json.error.message, /verifications:read/)
})

test('5.6 an expired key gets its 401 before its scope is checked', async () => {
  const key = await service.key(tenant, { scopes: ['devices:manage'], expiresInDays: 30 })
  service.clock.advance(30 * DAY)
  assertRefused(await call('GET', '/v1/usage', { key }), 401, 'api_key_expired')
})
