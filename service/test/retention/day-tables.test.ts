// Tests that statements of a flow use the tables of their day: at midnight, with differing clocks, and after a drop.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { applyRetention } from '../../src/features/retention/usecases/apply-retention.ts'
import { DAY_MS, dayAt } from '../../src/platform/postgres/days.ts'
import { runJob } from '../harness/jobs.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { decline, deliverAllDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { create, read } from '../wallet/verifications.ts'

/** One connection, so that its prepared statements are those that the process sends. */
const service = await testService({}, LOOPBACK, { poolMax: 1 })
const wallet = await testWallet(service)
const { call, clock, deps } = service
const { db } = deps

const today = () => dayAt(clock.now())
const toNextDay = (days = 1) => clock.set((today() + days) * DAY_MS + 900_000)

async function tenantKeeping(days: number): Promise<string> {
  const tenantId = await service.tenant()
  await db.query({ name: 'test_days', text: 'update tenants set retention_days = $2 where id = $1' }, [tenantId, days])
  return service.key(tenantId)
}

interface Prepared {
  readonly name: string
  readonly calls: number
}

/** Statements to the partitioned tables. */
const BY_PARENT = '(from|join|into|update)\\s+(verifications|verification_results|audit_details)\\M'

async function preparedWhere(condition: string): Promise<ReadonlyMap<string, number>> {
  const text = `select name, (custom_plans + generic_plans)::int as calls from pg_prepared_statements where ${condition}`
  const rows = await db.query<Prepared>({ name: `test_prepared_${createHash('md5').update(text).digest('hex')}`, text })
  return new Map(rows.map(({ name, calls }) => [name, calls]))
}

const isPrepared = async (day: number) => (await preparedWhere(`name ~ '@${day}$'`)).size > 0

/** A flow with the usual steps: fetched, answered, delivered, read. */
async function wholeFlow(key: string, url: string): Promise<void> {
  const created = await create(service, key, { template: 'identity', webhook_url: url })
  await wallet.present(created.wallet_uri)
  await deps.fetchNotes.flush()
  await deliverAllDue(service)
  const found = await read(service, key, created.id)
  assert.equal(found.status, 'completed')
  await deps.readNotes.flush()
}

/** Waits until the process knows that the day has tables. */
async function useDay(key: string): Promise<void> {
  await waitUntil('the day is known', async () => {
    await create(service, key)
    return isPrepared(today())
  })
}

test('a flow uses the tables of its day; only the lease of a webhook uses a partitioned table', async () => {
  const key = await tenantKeeping(30)
  const { url } = await startReceiver()
  await useDay(key)
  for (let n = 0; n < 2; n += 1) await wholeFlow(key, url)
  const before = await preparedWhere(`statement ~ '${BY_PARENT}'`)
  const flowsBefore = await preparedWhere(`name ~ '@${today()}$'`)
  await wholeFlow(key, url)
  const used = [...(await preparedWhere(`statement ~ '${BY_PARENT}'`))].filter(
    ([name, calls]) => before.get(name) !== calls,
  )
  assert.deepEqual(used, [])
  const flows = [...(await preparedWhere(`name ~ '@${today()}$'`))].filter(
    ([name, calls]) => flowsBefore.get(name) !== calls,
  )
  assert.deepEqual(flows.map(([name]) => name.replace(/@\d+$/, '')).sort(), [
    'end_free_verifications_of_one',
    'load_short_verifications',
    'load_wallet_verifications',
    'note_first_reads',
    'note_requests_fetched',
    'write_creation_of_one',
  ])
})

test('flows of a tenant with long retention use the tables without a day', async () => {
  const key = await tenantKeeping(400)
  const { url } = await startReceiver()
  for (let n = 0; n < 2; n += 1) await wholeFlow(key, url)
  const before = await preparedWhere(`statement ~ '${BY_PARENT}'`)
  await wholeFlow(key, url)
  const used = [...(await preparedWhere(`statement ~ '${BY_PARENT}'`))].filter(
    ([name, calls]) => before.get(name) !== calls,
  )
  assert.deepEqual(used, [])
})

test('a batch at midnight with two days is written and found, and a request from before midnight can be answered after it', async () => {
  await runJob(deps, 'make-days')
  const [key, other] = [await tenantKeeping(30), await tenantKeeping(400)]
  await useDay(key)
  clock.set((today() + 1) * DAY_MS - 1)
  const day = today()
  const before = Array.from({ length: 3 }, () => create(service, key))
  clock.advance(2)
  const after = Array.from({ length: 3 }, () => create(service, key))
  const long = Array.from({ length: 3 }, () => create(service, other))
  const created = await Promise.all([...before, ...after, ...long])
  const ids = created.map(({ id }) => id)
  const places = await db.query<{ place: string; count: number }>(
    {
      name: 'test_places_at_midnight',
      text: `select tableoid::regclass::text as place, count(*)::int as count from verifications where id = any ($1::text[]) group by 1 order by 1`,
    },
    [ids],
  )
  assert.equal(
    places.reduce((sum, { count }) => sum + count, 0),
    9,
  )
  assert.ok(places.some(({ place }) => place === 'verifications_singly'))
  for (const { place } of places)
    assert.ok([`verifications_${day}`, `verifications_${day + 1}`, 'verifications_singly'].includes(place))
  await Promise.all(created.map(({ wallet_uri }) => wallet.present(wallet_uri)))
  for (const [n, id] of ids.entries()) assert.equal((await read(service, n < 6 ? key : other, id)).status, 'completed')
})

test('a process whose clock is a day behind answers and reads verifications of another, and the other way round', async () => {
  const key = await tenantKeeping(30)
  toNextDay(2)
  await runJob(deps, 'make-days')
  await useDay(key)
  const ahead = await create(service, key)
  clock.advance(-DAY_MS)
  const behind = await create(service, key)
  await decline(service, behind.id)
  assert.equal((await read(service, key, ahead.id)).status, 'pending')
  assert.equal((await read(service, key, behind.id)).status, 'failed')
  clock.advance(DAY_MS)
  await decline(service, ahead.id)
  assert.equal((await read(service, key, ahead.id)).status, 'failed')
  assert.equal((await read(service, key, behind.id)).status, 'failed')
})

test('statements of days before yesterday are closed', async () => {
  const key = await tenantKeeping(30)
  const days: number[] = []
  for (let n = 0; n < 4; n += 1) {
    toNextDay()
    await runJob(deps, 'make-days')
    await useDay(key)
    await create(service, key)
    days.push(today())
  }
  const [oldest = 0, old = 0, yesterday = 0] = days
  assert.deepEqual(await Promise.all([oldest, old, yesterday, today()].map(isPrepared)), [false, false, true, true])
})

/** Drops, as another process, the tables of a day that this process uses. Returns one of its verifications. */
async function dropUsedDay(key: string): Promise<{ readonly id: string; readonly atMs: number }> {
  toNextDay()
  await runJob(deps, 'make-days')
  await useDay(key)
  const { id } = await create(service, key)
  const [day, atMs] = [today(), clock.now()]
  toNextDay(3)
  await applyRetention(deps)
  const left = await db.query({
    name: `test_left_${day}`,
    text: `select to_regclass('verifications_${day}')::text as name`,
  })
  assert.deepEqual(left, [{ name: null }])
  assert.ok(await isPrepared(day), 'this process has used no other day since')
  return { id, atMs }
}

test('a verification of a day that was dropped in between is not found', async () => {
  const key = await tenantKeeping(1)
  const { id } = await dropUsedDay(key)
  assertRefused(await call('GET', `/v1/verifications/${id}`, { key }), 404, 'session_not_found')
  assertRefused(await call('POST', `/v1/verifications/${id}/cancel`, { key }), 404, 'session_not_found')
})

test('creations of a late clock for a dropped day are refused once, not lost; then they are stored apart and erased in time', async () => {
  const key = await tenantKeeping(1)
  const { atMs } = await dropUsedDay(key)
  const droppedAtMs = clock.now()
  clock.set(atMs)
  const body = { template: 'identity' }
  const refused = await call('POST', '/v1/verifications', { key, body })
  assert.equal(refused.status, 503, refused.text)
  const { id } = await create(service, key)
  assert.equal((await read(service, key, id)).status, 'pending')
  // The verification is created after the last entry of its trail.
  clock.set(droppedAtMs + DAY_MS + 1_000)
  await applyRetention(deps)
  assertRefused(await call('GET', `/v1/verifications/${id}`, { key }), 404, 'session_not_found')
})
