// Tests API keys in the dashboard: how often each is used, and rolling a key.

import assert from 'node:assert/strict'
import test from 'node:test'
import { ACTIVE_KEYS_MAX, KEYS_SHOWN_MAX } from '../../src/core/tenants/domain/api-key.ts'
import { createKeyCache } from '../../src/core/tenants/store/api-key-cache.ts'
import { instantOf } from '../../src/platform/world.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'

const service = await testService()
const { deps } = service
const tenant = await service.tenant({ name: 'Ours' })
const owner = await person(service, tenant, 'owner')
const key = await service.key(tenant)
const HOUR_MS = 3_600_000

const use = (secret = key) => service.call('GET', '/v1/verifications', { key: secret })
const listed = async (who = owner) => (await who.call('GET', '@/keys')).json.data

test('uses are counted by day: the first at once, the others together, in one row per key and day', async () => {
  const statements: string[] = []
  const counting = Object.create(deps.db, {
    query: {
      value: (statement: { name: string }, values: unknown[]) => {
        statements.push(statement.name)
        return deps.db.query(statement as never, values)
      },
    },
  })
  const memory = await createKeyCache(counting, (error) => assert.fail(String(error)))
  const [known] = await deps.db.query<{ id: string }>({ name: 'test_key', text: 'select id from api_keys' })
  const stored = {
    id: known?.id ?? '',
    tenantId: tenant,
    environment: 'test',
    name: 'test',
    prefix: 'vk_test_',
  } as const
  const one = { ...stored, scopes: [], createdAt: '', expiresAt: null, revokedAt: null, lastUsedAt: null }
  for (let nth = 0; nth < 1_000; nth += 1) memory.noteUse(one, service.clock.now())
  await memory.close()
  const written = statements.filter((name) => name === 'note_key_uses').length
  assert.ok(written >= 1 && written <= 2, `${written} writes`)
  const [{ uses, last_used_at: lastUsed }] = await listed()
  assert.equal(uses.length, 14)
  assert.equal(uses.at(-1), 1_000)
  assert.equal(lastUsed, new Date(service.clock.now()).toISOString().replace('.000Z', '.000000Z'))
})

test('uses of yesterday stay counted for yesterday', async () => {
  service.clock.advance(24 * HOUR_MS)
  const staff = await person(service, tenant, 'viewer')
  await use()
  await use()
  await deps.keys.writeUses()
  const [{ uses }] = await listed(staff)
  assert.deepEqual(uses.slice(-2), [1_000, 2])
})

test('a rolled key works until its end, the new one immediately; the trail records both', async () => {
  const staff = await person(service, tenant, 'admin')
  const [old] = await listed(staff)
  const roll = (body: object, id = old.id) => staff.call('POST', `@/keys/${id}/roll`, { body })
  const created = (await roll({ overlap_hours: 1, expires_in_days: 30 })).json
  assert.deepEqual([created.name, created.scopes], [old.name, old.scopes])
  assert.equal((await use(created.key)).status, 200)
  assert.equal((await use()).status, 200)
  const trail = (await staff.call('GET', '@/audit?kind=key')).json.data
  assert.deepEqual(
    trail.slice(0, 2).map(({ action, object }: { action: string; object: { id: string } }) => [action, object.id]),
    [
      ['key.rolled', old.id],
      ['key.created', created.id],
    ],
  )
  service.clock.advance(HOUR_MS)
  assertRefused(await use(), 401, 'api_key_expired')
  assert.equal((await use(created.key)).status, 200)
})

test('rolled without an overlap, the old key ends in the same second; an ended key cannot be rolled', async () => {
  const staff = await person(service, tenant, 'admin')
  const live = await service.key(tenant)
  const { id } = (await listed(staff)).at(-1)
  const created = (await staff.call('POST', `@/keys/${id}/roll`, { body: { overlap_hours: 0, expires_in_days: null } }))
    .json
  assertRefused(await use(live), 401, 'api_key_expired')
  assert.equal((await use(created.key)).status, 200)
  const again = await staff.call('POST', `@/keys/${id}/roll`, { body: { overlap_hours: 24, expires_in_days: null } })
  assertRefused(again, 404, 'not_found')
  const odd = await staff.call('POST', `@/keys/${created.id}/roll`, {
    body: { overlap_hours: 2, expires_in_days: null },
  })
  assertRefused(odd, 400, 'invalid_request')
})

/** Adds keys as the store has them. */
const fill = (tenantId: string, many: number, ended: { revokedAt?: number; expiresAt?: number } = {}) =>
  deps.db.query(
    {
      name: 'test_fill_keys',
      text: `insert into api_keys (id, tenant_id, environment, name, hash, prefix, scopes, created_at, expires_at, revoked_at)
             select 'key_' || gen_random_uuid(), $1, 'test', 'filled', sha256(gen_random_uuid()::text::bytea), 'vk_test_abcd', '{}',
               $2, $4, $5 from generate_series(1, $3::integer)`,
    },
    [
      tenantId,
      instantOf(service.clock.now() - 365 * 24 * HOUR_MS),
      many,
      ended.expiresAt === undefined ? null : instantOf(ended.expiresAt),
      ended.revokedAt === undefined ? null : instantOf(ended.revokedAt),
    ],
  )

test('an environment has at most a hundred valid keys, however many are created at once; an ended one frees a place', async () => {
  const full = await service.tenant()
  const staff = await person(service, full, 'admin')
  await fill(full, ACTIVE_KEYS_MAX - 2)
  await fill(full, 10, { revokedAt: service.clock.now() })
  await fill(full, 10, { expiresAt: service.clock.now() })
  const body = { name: 'till', scopes: ['verifications:read'], expires_in_days: null }
  const make = (environment: 'test' | 'live' = 'test') => staff.call('POST', '@/keys', { body, environment })
  const created = await Promise.all(Array.from({ length: 8 }, () => make()))
  assert.equal(created.filter(({ status }) => status === 201).length, 2)
  for (const answer of created) if (answer.status !== 201) assertRefused(answer, 409, 'api_key_limit_reached')
  const { id } = created.find(({ status }) => status === 201)?.json ?? {}
  const roll = (overlapHours: number) =>
    staff.call('POST', `@/keys/${id}/roll`, { body: { overlap_hours: overlapHours, expires_in_days: null } })
  assertRefused(await roll(1), 409, 'api_key_limit_reached')
  assert.equal(
    (await listed(staff)).find((one: { id: string }) => one.id === id).expires_at,
    null,
    'refused as a whole',
  )
  const rolled = await roll(0)
  assert.equal(rolled.status, 201)
  assertRefused(await make(), 409, 'api_key_limit_reached')
  assertRefused(await staff.call('POST', `@/keys/${rolled.json.id}/revoke`, { environment: 'live' }), 404, 'not_found')
  assert.equal((await staff.call('POST', `@/keys/${rolled.json.id}/revoke`)).status, 200)
  assert.equal((await make()).status, 201)
  assert.equal((await make('live')).status, 201)
})

test('the list shows valid keys first and those that ended in the last thirty days, at most two hundred', async () => {
  const many = await service.tenant()
  const staff = await person(service, many, 'viewer')
  const now = service.clock.now()
  await fill(many, 3)
  await fill(many, 5, { revokedAt: now - 30 * 24 * HOUR_MS })
  await fill(many, 5, { expiresAt: now - 31 * 24 * HOUR_MS })
  await fill(many, 1, { revokedAt: now - 30 * 24 * HOUR_MS + 1 })
  await fill(many, 1, { expiresAt: now - HOUR_MS })
  const ends = (keys: { revoked_at: string | null; expires_at: string | null }[]) =>
    [keys.length, keys.filter((one) => one.revoked_at === null && one.expires_at === null).length] as const
  assert.deepEqual(ends(await listed(staff)), [5, 3])
  await fill(many, KEYS_SHOWN_MAX, { revokedAt: now - HOUR_MS })
  assert.deepEqual(ends(await listed(staff)), [KEYS_SHOWN_MAX, 3])
})
