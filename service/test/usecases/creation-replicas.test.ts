// Tests creations in two processes on one database: idempotency and quota are exact.

import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { startReplicas } from '../harness/servers/replicas.ts'
import { testService } from '../harness/service.ts'

const ends: (() => Promise<void>)[] = []
const service = await testService({}, {}, { ends: { after: (work) => void ends.push(work) } })
// Sealed with the key of the test's own service, so that both can decrypt the other's values.
const replicas = await startReplicas(service.url, 2)
after(async () => {
  await replicas.stop()
  for (const end of ends.reverse()) await end()
})

interface Reply {
  readonly status: number
  readonly replayed: boolean
  readonly retryAfter: number
  readonly json: { readonly id?: string; readonly error?: { readonly code: string } }
}

async function post(index: number, key: string, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(`${replicas.urls[index % replicas.urls.length]}/v1/verifications`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ template: 'age_over_18', purpose: 'Sale of wine' }),
  })
  return {
    status: response.status,
    replayed: response.headers.get('idempotent-replayed') === 'true',
    retryAfter: Number(response.headers.get('retry-after')),
    json: (await response.json()) as Reply['json'],
  }
}

async function countOf(tenantId: string): Promise<{ verifications: number; entries: number; used: number }> {
  const [row] = await service.deps.db.query<{ verifications: number; entries: number; used: number }>(
    {
      name: 'test_counts',
      text: `select (select count(*)::int from verifications where tenant_id = $1) as verifications,
                    (select count(*)::int from audit_entries where tenant_id = $1 and object_id like 'ver_%') as entries,
                    (select coalesce(sum(created), 0)::int from usage_days where tenant_id = $1) as used`,
    },
    [tenantId],
  )
  assert.ok(row !== undefined)
  return row
}

test('50 identical POSTs with one key over two processes make one verification, one unit and one entry', async () => {
  for (const round of [1, 2, 3]) {
    const tenantId = await service.tenant()
    const key = await service.key(tenantId)
    const headers = { 'idempotency-key': `round-${round}` }
    const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => post(i, key, headers)))
    const created = replies.filter((reply) => reply.status === 201)
    assert.equal(created.filter((reply) => !reply.replayed).length, 1)
    assert.equal(new Set(created.map((reply) => reply.json.id)).size, 1)
    for (const reply of replies.filter((one) => one.status !== 201)) {
      assert.equal(reply.status, 409)
      assert.equal(reply.json.error?.code, 'idempotency_key_in_flight')
      assert.ok(reply.retryAfter >= 1)
    }
    assert.deepEqual(await countOf(tenantId), { verifications: 1, entries: 1, used: 1 })
    assert.ok((await post(0, key, headers)).replayed)
    assert.ok((await post(1, key, headers)).replayed)
  }
})

/** The slower process may get all of them, so their number is the limit of one address at one process. */
const AT_ONCE = 100

async function inTurns<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const worker = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}

test('of 500 creations against a quota of 137 over two processes exactly 137 succeed', async () => {
  const { tenantId, replies } = await withinOneDay(async () => {
    const tenantId = await service.tenant({ dailyQuota: 137 })
    const key = await service.key(tenantId)
    const replies = await inTurns(500, (i) => post(i, key, i % 2 === 0 ? { 'idempotency-key': `each-${i}` } : {}))
    return { tenantId, replies }
  })
  const refused = replies.filter((reply) => reply.status === 429)
  assert.equal(replies.filter((reply) => reply.status === 201).length, 137)
  assert.equal(refused.length, 363)
  for (const reply of refused) {
    assert.equal(reply.json.error?.code, 'quota_exceeded')
    assert.ok(reply.retryAfter >= 1 && reply.retryAfter <= 86_400)
  }
  assert.deepEqual(await countOf(tenantId), { verifications: 137, entries: 137, used: 137 })
})

/** The processes run in real time, where a quota resets at midnight, so a run across midnight is repeated. */
async function withinOneDay<T>(work: () => Promise<T>): Promise<T> {
  const today = async () => {
    const text = `select (now() at time zone 'UTC')::date::text as day`
    return (await service.deps.db.query<{ day: string }>({ name: 'test_today', text }))[0]?.day
  }
  const began = await today()
  const result = await work()
  return (await today()) === began ? result : work()
}

test('the chain that both processes wrote is complete, and no two creations have the same time', async () => {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  await Promise.all(Array.from({ length: 200 }, (_, i) => post(i, key)))
  const verdict = await verifyStored(service.deps, { realm: { tenantId, environment: 'test' }, log: 'whole' })
  assert.equal(verdict.outcome, 'whole', JSON.stringify(verdict))
  const [row] = await service.deps.db.query<{ instants: number }>(
    {
      name: 'test_instants',
      text: 'select count(distinct created_at)::int as instants from verifications where tenant_id = $1',
    },
    [tenantId],
  )
  assert.equal(row?.instants, 200)
})
