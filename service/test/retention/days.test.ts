// Tests partitions of a day: created ahead, dropped when everything in them is past its retention.

import assert from 'node:assert/strict'
import test from 'node:test'
import { readTrail } from '../../src/features/audit/usecases/read-audit.ts'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { loadDays } from '../../src/features/retention/store/day-partitions.ts'
import { applyRetention } from '../../src/features/retention/usecases/apply-retention.ts'
import { DAY_MS, dayAt } from '../../src/platform/postgres/days.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'
import { within } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { declined, deliverAllDue, startReceiver } from '../harness/webhooks.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' }, { noDays: true })
const wallet = await testWallet(service)
const { call, clock, deps } = service
const { db } = deps

const today = () => dayAt(clock.now())
const toNextDay = (days = 1) => clock.advance((today() + days) * DAY_MS - clock.now() + 900_000)
const environment = 'test'

async function tenantKeeping(days: number): Promise<{ tenantId: string; key: string }> {
  const tenantId = await service.tenant()
  await db.query({ name: 'test_days', text: 'update tenants set retention_days = $2 where id = $1' }, [tenantId, days])
  return { tenantId, key: await service.key(tenantId) }
}

const isThere = async (key: string, id: string) =>
  (await call('GET', `/v1/verifications/${id}`, { key })).status === 200

/** Returns the partition that a verification, its result and the details of its creation are in. */
async function placesOf(id: string): Promise<string[]> {
  const rows = await db.query<{ place: string }>(
    {
      name: 'test_places',
      text: `select tableoid::regclass::text as place from verifications where id = $1
             union all select tableoid::regclass::text from verification_results where verification_id = $1
             union all select tableoid::regclass::text from audit_details where object_id = $1`,
    },
    [id],
  )
  return rows.map(({ place }) => place)
}

async function lapsesOf(tenantId: string): Promise<unknown[]> {
  const { entries } = await readTrail(deps, { tenantId, environment }, { before: null, limit: 20 })
  return entries.filter(({ action }) => action === 'verifications.lapsed').map(({ details }) => details)
}

async function assertWhole(tenantId: string): Promise<void> {
  const verdict = await verifyStored(deps, { realm: { tenantId, environment }, log: 'whole' })
  assert.equal(verdict.outcome, 'whole', JSON.stringify(verdict))
}

test('without a partition nothing is refused: rows go to the default one, and each is erased at its own time', async () => {
  const { key } = await tenantKeeping(1)
  const created = await create(service, key)
  await wallet.present(created.wallet_uri)
  assert.deepEqual(await placesOf(created.id), [
    'verifications_unplanned',
    'verification_results_unplanned',
    'audit_details_unplanned',
  ])
  await runJob(deps, 'make-days')
  assert.ok(
    !(await loadDays(db)).partitioned.includes(today()),
    'a day whose rows are in the default partition gets no partition',
  )
  assert.ok(service.logged.some((line) => line.includes('has rows and no partition')))
  clock.advance(DAY_MS + 1_000)
  await applyRetention(deps)
  assert.deepEqual(await placesOf(created.id), [])
})

test('partitions are created 14 days ahead, with the statistics, checks, fill factor and indexes of existing partitions', async () => {
  toNextDay(3)
  await runJob(deps, 'make-days')
  const days = (await loadDays(db)).partitioned
  for (let day = today(); day <= today() + 14; day += 1) assert.ok(days.includes(day), `day ${day}`)
  await runJob(deps, 'make-days')
  assert.deepEqual((await loadDays(db)).partitioned, days)
  for (const parent of ['verifications', 'verification_results', 'audit_details']) {
    const shape = (table: string) =>
      db.query({
        name: `test_shape_${table}`,
        text: `select a.attname, a.attnotnull, a.attstattarget, a.attstorage, format_type(a.atttypid, a.atttypmod) as type,
                 (select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = c.oid and adnum = a.attnum) as default,
                 c.reloptions, (select array_agg(regexp_replace(pg_get_indexdef(i.indexrelid), ' INDEX .* USING ', ' ') order by i.indexrelid)
                   from pg_index i where i.indrelid = c.oid) as indexes,
                 (select array_agg(concat(k.contype, pg_get_constraintdef(k.oid)) order by pg_get_constraintdef(k.oid)) from pg_constraint k
                   where k.conrelid = c.oid and k.contype in ('p', 'u', 'c') and k.conname !~ '_(day|singly_check)$') as constraints
               from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
               where c.relname = '${table}' order by a.attname`,
      })
    assert.deepEqual(await shape(`${parent}_${today()}`), await shape(`${parent}_singly`), parent)
  }
})

test('an ending and a first fetch log only the end of a row, because the columns that change are the last', async () => {
  toNextDay(3)
  await runJob(deps, 'make-days')
  const { id } = await create(service, (await tenantKeeping(2)).key)
  assert.deepEqual((await placesOf(id))[0], `verifications_${today()}`)
  const logged = async (name: string, change: string) => {
    const [plan] = await db.query<{ 'QUERY PLAN': [{ Plan: { 'WAL Bytes': number } }] }>(
      {
        name: `test_logged_${name}`,
        text: `explain (analyze, wal, format json) update verifications set ${change} where id = $1`,
      },
      [id],
    )
    return plan?.['QUERY PLAN'][0].Plan['WAL Bytes'] ?? assert.fail('no plan')
  }
  const HASH = `sha256('x')`
  const fetched = await logged('fetch', `same_device = true, request_fetched_at = now(), request_sha256 = ${HASH}`)
  const ended = await logged(
    'ending',
    `status = 'completed', responded_at = now(), response_code_hash = ${HASH}, encryption_key = null, answered_by_age_link = false`,
  )
  // With `status` as the sixth column, this ending logs 369 bytes, and one with an explicit query nearly 600.
  assert.ok(fetched < 200 && ended < 250, `${fetched} and ${ended} bytes`)
})

test("a day is dropped when the last tenant stops keeping it; before, others' rows in it are erased one by one", async () => {
  toNextDay()
  await runJob(deps, 'make-days')
  const short = await tenantKeeping(2)
  const long = await tenantKeeping(5)
  const receiver = await startReceiver()
  const day = today()
  const ids = [await declined(service, { key: long.key, url: receiver.url }), (await create(service, long.key)).id]
  const early = (await create(service, long.key)).id
  const shortId = (await create(service, short.key)).id
  await deliverAllDue(service)
  const created = await create(service, long.key)
  await wallet.present(created.wallet_uri)
  assert.deepEqual(await placesOf(created.id), [
    `verifications_${day}`,
    `verification_results_${day}`,
    `audit_details_${day}`,
  ])
  assert.equal((await call('DELETE', `/v1/verifications/${early}`, { key: long.key })).status, 200)
  assert.deepEqual(await placesOf(early), [])

  toNextDay(2)
  await applyRetention(deps)
  assert.ok(await isThere(short.key, shortId), 'kept until its whole day is past')
  toNextDay()
  await applyRetention(deps)
  assert.ok(!(await isThere(short.key, shortId)))
  assert.deepEqual(await lapsesOf(short.tenantId), [], 'each is erased separately, with its own entry')
  toNextDay(2)
  await applyRetention(deps)
  for (const id of [...ids, created.id]) assert.ok(await isThere(long.key, id))
  toNextDay()
  const { verifications } = await applyRetention(deps)
  assert.equal(verifications, 3)
  assert.ok(!(await loadDays(db)).partitioned.includes(day))
  assert.deepEqual((await loadDays(db)).lapsed, [])
  for (const id of [...ids, created.id]) assert.ok(!(await isThere(long.key, id)))
  assert.deepEqual(await lapsesOf(long.tenantId), [{ count: 3 }])
  const left = await db.query<{ table: string }>({
    name: 'test_left_of_day',
    text: `select 'deliveries' as table from webhook_deliveries union all select 'attempts' from webhook_attempts
           union all select 'answers' from webhook_answers`,
  })
  assert.deepEqual(left, [])
  for (const { tenantId } of [short, long]) await assertWhole(tenantId)
  assert.deepEqual(await applyRetention(deps).then((again) => again.verifications), 0)
})

test('a tenant with long retention does not keep a day: its rows are stored apart', async () => {
  toNextDay()
  await runJob(deps, 'make-days')
  const { key } = await tenantKeeping(400)
  const created = await create(service, key)
  await wallet.present(created.wallet_uri)
  assert.deepEqual(await placesOf(created.id), [
    'verifications_singly',
    'verification_results_singly',
    'audit_details_singly',
  ])
  assert.ok(await isThere(key, created.id))
})

test('a longer retention keeps the existing days', async () => {
  toNextDay()
  await runJob(deps, 'make-days')
  const { tenantId, key } = await tenantKeeping(1)
  const { id } = await create(service, key)
  const day = today()
  await db.query({ name: 'test_days', text: 'update tenants set retention_days = $2 where id = $1' }, [tenantId, 3])
  toNextDay(2)
  await applyRetention(deps)
  assert.ok(await isThere(key, id))
  toNextDay(2)
  await applyRetention(deps)
  assert.ok(!(await isThere(key, id)))
  assert.ok(!(await loadDays(db)).partitioned.includes(day))
  await assertWhole(tenantId)
})

test('a retention that becomes long keeps no day: its rows are moved, and the day is dropped', async () => {
  toNextDay()
  await runJob(deps, 'make-days')
  const [long, short] = [await tenantKeeping(30), await tenantKeeping(30)]
  const created = await create(service, long.key)
  await wallet.present(created.wallet_uri)
  const other = (await create(service, short.key)).id
  const day = today()
  await db.query({ name: 'test_days', text: 'update tenants set retention_days = $2 where id = $1' }, [
    long.tenantId,
    1000,
  ])
  toNextDay(40)
  await applyRetention(deps)
  assert.ok((await placesOf(created.id)).includes(`verifications_${day}`), 'other tenants may still keep the day')
  assert.ok(!(await isThere(short.key, other)))
  toNextDay(7)
  await applyRetention(deps)
  assert.ok(!(await loadDays(db)).partitioned.includes(day))
  assert.deepEqual(await placesOf(created.id), [
    'verifications_singly',
    'verification_results_singly',
    'audit_details_singly',
  ])
  const read = await call('GET', `/v1/verifications/${created.id}`, { key: long.key })
  assert.deepEqual([read.status, read.json.status], [200, 'completed'])
  assert.deepEqual(await lapsesOf(long.tenantId), [])
  for (const { tenantId } of [long, short]) await assertWhole(tenantId)
  const { entries } = await readTrail(deps, { tenantId: long.tenantId, environment }, { before: null, limit: 20 })
  assert.ok(entries.some(({ action, details }) => action === 'verification.created' && details !== null))
  assert.equal((await call('DELETE', `/v1/verifications/${created.id}`, { key: long.key })).status, 200)
  assert.deepEqual(await placesOf(created.id), [])
})

test('a locked table delays a day and blocks no request; a run that died in between is continued', async () => {
  toNextDay()
  await runJob(deps, 'make-days')
  const { tenantId, key } = await tenantKeeping(1)
  const { id } = await create(service, key)
  const day = today()
  toNextDay(2)
  const holding = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holder = db.transaction(async (tx) => {
    await tx.query({ name: 'test_hold_table', text: 'select 1 as one from verifications limit 1' })
    holding.resolve()
    await release.promise
  })
  await within('the table is locked', holding.promise)
  await applyRetention(deps)
  assert.ok((await loadDays(db)).partitioned.includes(day))
  assert.ok(await isThere(key, id))
  release.resolve()
  await holder
  const broken = { name: 'broken', forgetLapsed: () => Promise.reject(new Error('died')) }
  await applyRetention({ ...deps, forgetting: [broken] })
  assert.deepEqual((await loadDays(db)).lapsed, [day])
  assert.ok(!(await isThere(key, id)))
  await applyRetention(deps)
  assert.deepEqual((await loadDays(db)).lapsed, [])
  assert.deepEqual(await lapsesOf(tenantId), [{ count: 1 }])
  await assertWhole(tenantId)
})

test('lists continue over days, in one order', async () => {
  toNextDay()
  await runJob(deps, 'make-days')
  const { key } = await tenantKeeping(40)
  const ids: string[] = []
  for (let n = 0; n < 6; n += 1) {
    ids.unshift((await create(service, key)).id, (await create(service, key)).id)
    ids.splice(0, 2, ids[1] ?? '', ids[0] ?? '')
    toNextDay()
  }
  const listed: string[] = []
  let before = ''
  // bounded: by the number of verifications.
  for (let page = 0; page < 5; page += 1) {
    const { json } = await call('GET', `/v1/verifications?limit=5${before === '' ? '' : `&before=${before}`}`, { key })
    const rows: { id: string; created_at: string }[] = json.data
    listed.push(...rows.map((row) => row.id))
    before = encodeURIComponent(rows.at(-1)?.created_at ?? before)
    if (rows.length === 0) break
  }
  const times = await db.query<{ id: string }>(
    { name: 'test_order', text: 'select id from verifications where id = any ($1::text[]) order by created_at desc' },
    [ids],
  )
  assert.deepEqual(
    listed,
    times.map(({ id }) => id),
  )
  assert.equal(listed.length, 12)
})
