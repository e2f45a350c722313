// Specification 4.1, the idempotency rules, also under failures and races.

import assert from 'node:assert/strict'
import test from 'node:test'
import { applyRetention } from '../../src/features/retention/usecases/apply-retention.ts'
import type { Tx } from '../../src/platform/postgres/db.ts'
import { pairDevice } from '../harness/devices.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { waitUntil, within } from '../harness/wait.ts'

const service = await testService()
const tenant = await service.tenant()
const key = await service.key(tenant)
const { call, clock } = service
const { db } = service.deps
const BODY = { template: 'identity', metadata: { a: '1', b: '2' }, ttl_seconds: 600 }
const HOUR = 3_600_000

const post = (idempotencyKey: string, body: unknown = BODY, bearer = key) =>
  call('POST', '/v1/verifications', { key: bearer, body, headers: { 'idempotency-key': idempotencyKey } })

async function used(bearer = key): Promise<number> {
  return (await call('GET', '/v1/usage', { key: bearer })).json.verifications_created
}

async function rows(table: 'verifications' | 'idempotency_keys', tenantId = tenant): Promise<number> {
  const found = await db.query({ name: `test_rows_${table}`, text: `select from ${table} where tenant_id = $1` }, [
    tenantId,
  ])
  return found.length
}

/** Locks the rows that every creation of the tenant needs, until it is released. */
async function holdCreations(tenantId = tenant): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holding = db.transaction(async (tx: Tx) => {
    await tx.query({ name: 'test_hold', text: 'select from audit_heads where tenant_id = $1 for update' }, [tenantId])
    locked.resolve()
    await release.promise
  })
  await within('the row is locked', locked.promise)
  return async () => {
    release.resolve()
    await holding
  }
}

test('rule 1: the same key with the same body replays the original 201, marked, and creates and charges nothing', async () => {
  const before = await used()
  const first = await post('rule-1')
  assert.equal(first.status, 201)
  assert.equal(first.headers['idempotent-replayed'], undefined)
  for (let i = 0; i < 10; i += 1) {
    const replay = await post('rule-1')
    assert.equal(replay.status, 201)
    assert.equal(replay.headers['idempotent-replayed'], 'true')
    assert.equal(replay.text, first.text)
    assert.equal(replay.headers['content-type'], first.headers['content-type'])
    assert.notEqual(replay.headers['request-id'], first.headers['request-id'])
  }
  assert.equal(await used(), before + 1)
})

test('rule 1: the same body is the same JSON, however it is written', async () => {
  const first = await post('spelling')
  const raw = '  { "ttl_seconds" : 6e2 , "metadata":{"b":"2","\\u0061":"1"},\n"template":"\\u0069dentity" } '
  const again = await call('POST', '/v1/verifications', {
    key,
    raw,
    headers: { 'idempotency-key': 'spelling', 'content-type': 'application/json' },
  })
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(again.json.id, first.json.id)
})

test('rule 1: within 24 hours; at 24 hours the key is free again, whether or not a job has run', async () => {
  const first = await post('window')
  clock.advance(24 * HOUR - 1)
  assert.equal((await post('window')).json.id, first.json.id)
  clock.advance(1)
  const second = await post('window')
  assert.equal(second.status, 201)
  assert.notEqual(second.json.id, first.json.id)
  assert.equal((await post('window')).json.id, second.json.id)
  clock.advance(24 * HOUR + 1)
  assert.equal((await post('window', { template: 'address' })).status, 201)
})

test('rule 1: the replay is the original answer, even if the verification has expired since', async () => {
  const first = await post('later')
  clock.advance(HOUR)
  assert.equal((await call('GET', `/v1/verifications/${first.json.id}`, { key })).json.status, 'expired')
  assert.equal((await post('later')).text, first.text)
})

test('rule 2: the same key with a different body answers 422 idempotency_key_reused; the original stays', async () => {
  const first = await post('rule-2')
  const others = [
    { template: 'identity' },
    { ...BODY, ttl_seconds: 601 },
    { ...BODY, metadata: { a: '1' } },
    { ...BODY, metadata: { a: '2', b: '1' } },
    { ...BODY, purpose: 'x' },
  ]
  for (const body of others) assertRefused(await post('rule-2', body), 422, 'idempotency_key_reused')
  assert.equal((await post('rule-2')).json.id, first.json.id)
})

test('rule 3: a retry while the first is running answers 409 with the lease in Retry-After, and does not wait', async () => {
  const before = await used()
  const release = await holdCreations()
  const first = post('rule-3')
  await untilClaimed('rule-3')
  clock.advance(4_500)
  // The lock is released after all answers, so a caller that waited for it would get no 409.
  const duplicates = await Promise.all(Array.from({ length: 100 }, () => post('rule-3')))
  for (const duplicate of duplicates) {
    assertRefused(duplicate, 409, 'idempotency_key_in_flight')
    assert.equal(duplicate.headers['retry-after'], '26')
  }
  assertRefused(await post('rule-3', { template: 'address' }), 422, 'idempotency_key_reused')
  await release()
  assert.equal((await first).status, 201)
  assert.equal((await post('rule-3')).headers['idempotent-replayed'], 'true')
  assert.equal(await used(), before + 1)
})

async function untilClaimed(idempotencyKey: string): Promise<void> {
  const statement = { name: 'test_claimed', text: 'select from idempotency_keys where tenant_id = $1 and key = $2' }
  const isClaimed = async () => (await db.query(statement, [tenant, idempotencyKey])).length > 0
  await waitUntil(`${idempotencyKey} is claimed`, isClaimed)
}

for (const [what, bad] of [
  ['without characters', ''],
  ['of 256 characters', 'x'.repeat(256)],
  ['with a space', 'a b'],
  ['with a tab', 'a\tb'],
  ['with a letter outside ASCII', 'schl\u00fcssel'],
  ['given twice', 'a, b'],
] as const) {
  test(`a key ${what} is refused with 400 invalid_idempotency_key`, async () => {
    assertRefused(await post(bad), 400, 'invalid_idempotency_key')
  })
}

for (const good of ['x', '~', '!', 'x'.repeat(255), '"quoted"', '0b5b1f5e-6f5c-4a1e-9d0c-3b0f6f3f2a11']) {
  test(`a key may be ${good.slice(0, 40)}`, async () => {
    assert.equal((await post(good)).status, 201)
    assert.equal((await post(good)).headers['idempotent-replayed'], 'true')
  })
}

test('other tenants and the other environment have their own keys', async () => {
  const mine = await post('shared')
  const live = await post('shared', BODY, await service.key(tenant, { environment: 'live' }))
  const foreign = await post('shared', BODY, await service.key(await service.tenant()))
  assert.deepEqual(
    [mine, live, foreign].map((answer) => answer.headers['idempotent-replayed']),
    [undefined, undefined, undefined],
  )
  assert.equal(new Set([mine, live, foreign].map((answer) => answer.json.id)).size, 3)
})

test('a key that was rolled between two attempts gets the replay', async () => {
  const first = await post('rolled')
  const rolled = await service.key(tenant)
  assert.equal((await post('rolled', BODY, rolled)).json.id, first.json.id)
})

test('each replay is authorised: without the scope it is 403, and reveals nothing', async () => {
  const first = await post('scoped')
  const reader = await service.key(tenant, { scopes: ['verifications:read'] })
  const answer = await post('scoped', BODY, reader)
  assertRefused(answer, 403, 'insufficient_scope')
  assert.ok(!answer.text.includes(first.json.id))
})

test('a device gets only replays of its own requests', async () => {
  const first = await post('counter', { template: 'identity' })
  const till = await pairDevice(service, key, { templates: ['identity'] })
  assertRefused(await post('counter', { template: 'identity' }, till.accessToken), 422, 'idempotency_key_reused')
  const own = await post('till-1', { template: 'identity' }, till.accessToken)
  assert.equal(own.status, 201)
  assert.equal((await post('till-1', { template: 'identity' }, till.accessToken)).text, own.text)
  assert.equal((await post('counter', { template: 'identity' })).text, first.text)
})

test('a refusal frees the key: a corrected request with it is processed', async () => {
  for (const [bad, code] of [
    [{ template: 'nothing' }, 'unknown_template'],
    [{ template: 'identity', webhook_url: 'http://127.0.0.1/' }, 'invalid_webhook_url'],
    [{ template: 'identity', ttl_seconds: 1 }, 'invalid_request'],
    [{ query: { credentials: [{ id: 'a' }] } }, 'invalid_request'],
  ] as const) {
    const name = `corrected-${code}`
    assert.equal((await post(name, bad)).json.error.code, code)
    assert.equal((await post(name)).status, 201)
  }
})

test('a spent quota frees the key and costs nothing: the next day the same request is processed', async () => {
  const small = await service.tenant({ dailyQuota: 1 })
  const bearer = await service.key(small)
  assert.equal((await post('first', BODY, bearer)).status, 201)
  assertRefused(await post('second', BODY, bearer), 429, 'quota_exceeded')
  assert.equal(await rows('idempotency_keys', small), 1)
  assert.equal((await post('first', BODY, bearer)).headers['idempotent-replayed'], 'true')
  clock.advance(24 * HOUR - 1)
  const next = await post('second', BODY, bearer)
  assert.equal(next.status, 201)
  assert.equal(next.headers['idempotent-replayed'], undefined)
})

test('a fault, also at the commit, frees the key and leaves nothing: the retry is processed', async () => {
  const [before, count] = [await used(), await rows('verifications')]
  const text = `create function test_fail_late() returns trigger language plpgsql as $$ begin raise exception 'late'; end $$;
    create constraint trigger test_late after insert on verifications deferrable initially deferred
      for each row execute function test_fail_late()`
  for (const [i, part] of text.split(';\n').entries()) await db.query({ name: `test_fail_${i}`, text: part })
  assertRefused(await post('late'), 500, 'internal_error')
  await db.query({ name: 'test_drop_late', text: 'drop trigger test_late on verifications' })
  assert.deepEqual([await used(), await rows('verifications')], [before, count])
  const retried = await post('late')
  assert.equal(retried.status, 201)
  assert.equal(retried.headers['idempotent-replayed'], undefined)
})

test('an owner whose lease expired is fenced out: only the new owner creates', async () => {
  const [before, count] = [await used(), await rows('verifications')]
  const release = await holdCreations()
  const slow = post('zombie')
  await untilClaimed('zombie')
  clock.advance(30_000)
  const [row] = await db.query<{ fence: string }>(
    { name: 'test_fence', text: 'select fence from idempotency_keys where tenant_id = $1 and key = $2' },
    [tenant, 'zombie'],
  )
  const successor = post('zombie')
  await untilFenceChanges('zombie', row?.fence ?? '')
  await release()
  const [zombie, won] = await Promise.all([slow, successor])
  assertRefused(zombie, 409, 'idempotency_key_in_flight')
  assert.equal(won.status, 201)
  assert.equal((await post('zombie')).json.id, won.json.id)
  assert.deepEqual([await used(), await rows('verifications')], [before + 1, count + 1])
})

async function untilFenceChanges(idempotencyKey: string, fence: string): Promise<void> {
  const statement = {
    name: 'test_other_fence',
    text: 'select from idempotency_keys where tenant_id = $1 and key = $2 and fence <> $3',
  }
  const isChanged = async () => (await db.query(statement, [tenant, idempotencyKey, fence])).length > 0
  await waitUntil(`the fence of ${idempotencyKey} changes`, isChanged)
}

test('the response that is stored for replays is sealed, and deleted with the verification: then the key is free', async () => {
  const first = await post('sealed')
  const [row] = await db.query<{ answer: Buffer }>(
    { name: 'test_answer', text: 'select answer from idempotency_keys where tenant_id = $1 and key = $2' },
    [tenant, 'sealed'],
  )
  assert.ok(row !== undefined && !row.answer.toString('latin1').includes('ver_'))
  assert.equal((await call('DELETE', `/v1/verifications/${first.json.id}`, { key })).status, 200)
  const second = await post('sealed')
  assert.equal(second.headers['idempotent-replayed'], undefined)
  assert.notEqual(second.json.id, first.json.id)
})

test('erasing the verification of an earlier use of a key does not affect the later answer', async () => {
  const first = await post('reused-later')
  clock.advance(24 * HOUR)
  const second = await post('reused-later')
  await call('DELETE', `/v1/verifications/${first.json.id}`, { key })
  assert.equal((await post('reused-later')).json.id, second.json.id)
})

test('50 identical requests at once make one verification, one unit and one entry; all others must wait or get the replay', async () => {
  const fresh = await service.tenant()
  const bearer = await service.key(fresh)
  const answers = await Promise.all(Array.from({ length: 50 }, () => post('storm', BODY, bearer)))
  const created = answers.filter((answer) => answer.status === 201)
  assert.equal(created.filter((answer) => answer.headers['idempotent-replayed'] === undefined).length, 1)
  assert.equal(new Set(created.map((answer) => answer.json.id)).size, 1)
  for (const answer of answers) assert.ok([201, 409].includes(answer.status), answer.text)
  assert.equal(await used(bearer), 1)
  assert.equal(await rows('verifications', fresh), 1)
})

test('simultaneous creations share a transaction, and a failure of one does not fail another', async () => {
  const text = `create function test_poison() returns trigger language plpgsql as
    $$ begin if new.purpose = 'poison' then raise exception 'poison'; end if; return new; end $$;
    create trigger test_poison before insert on verifications for each row execute function test_poison()`
  for (const [i, part] of text.split(';\n').entries()) await db.query({ name: `test_poison_${i}`, text: part })
  const release = await holdCreations()
  const waiting = Array.from({ length: 12 }, (_, i) =>
    post(`mixed-${i}`, { ...BODY, purpose: i === 5 ? 'poison' : 'bread' }),
  )
  await untilClaimed('mixed-11')
  await release()
  const answers = await Promise.all(waiting)
  assert.deepEqual(
    answers.map((answer) => answer.status),
    answers.map((_, i) => (i === 5 ? 500 : 201)),
  )
  await db.query({ name: 'test_antidote', text: 'drop trigger test_poison on verifications' })
  assert.equal((await post('mixed-5', { ...BODY, purpose: 'poison' })).headers['idempotent-replayed'], undefined)
})

test('the retention job deletes expired keys, and no others', async () => {
  await post('old')
  clock.advance(12 * HOUR)
  await post('young')
  clock.advance(12 * HOUR)
  await applyRetention(service.deps)
  const left = await db.query<{ key: string }>(
    { name: 'test_left', text: 'select key from idempotency_keys where tenant_id = $1' },
    [tenant],
  )
  assert.deepEqual(
    left.map((row) => row.key),
    ['young'],
  )
})
