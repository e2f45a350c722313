// Tests the audit entries of a lapsed day: written in the transaction that drops it, for exactly its verifications.

import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { loadDays, makeDay } from '../../src/features/retention/store/day-partitions.ts'
import { applyRetention } from '../../src/features/retention/usecases/apply-retention.ts'
import { DAY_MS, dayAt } from '../../src/platform/postgres/days.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'
import { within } from '../harness/wait.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const { call, clock, deps } = service
const { db } = deps

const today = () => dayAt(clock.now())
const environment = 'test'

/** Moves the clock a quarter of an hour into a later day, and creates the partitions. */
async function toNextDay(days = 1): Promise<number> {
  clock.advance((today() + days) * DAY_MS - clock.now() + 900_000)
  await runJob(deps, 'make-days')
  return today()
}

async function tenantKeeping(days: number): Promise<{ tenantId: string; key: string }> {
  const tenantId = await service.tenant()
  await run('update tenants set retention_days = $2 where id = $1', [tenantId, days])
  return { tenantId, key: await service.key(tenantId) }
}

const run = (text: string, values: unknown[]) => db.query({ name: `test ${text}`.slice(0, 60), text }, values)

const verdictOf = (tenantId: string) => verifyStored(deps, { realm: { tenantId, environment }, log: 'whole' })

const isThere = async (key: string, id: string) =>
  (await call('GET', `/v1/verifications/${id}`, { key })).status === 200

/** Runs `work` while another session reads all partitions. */
async function whilePartitionsAreRead(work: () => Promise<void>): Promise<void> {
  const holding = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holder = db.transaction(async (tx) => {
    await tx.query({ name: 'test_hold_table', text: 'select 1 as one from verifications limit 1' })
    holding.resolve()
    await release.promise
  })
  await within('the table is locked', holding.promise)
  try {
    await work()
  } finally {
    release.resolve()
    await holder
  }
}

const alarms = async () =>
  Number(/alarm="retention_not_applied"\} (\d+)/.exec(await deps.metrics.registry.metrics())?.[1] ?? 0)

test('a lapse accounts for the entries that it names, not for others from before its time', async () => {
  const day = await toNextDay()
  const { tenantId, key } = await tenantKeeping(1)
  await create(service, key)
  await toNextDay()
  for (let n = 0; n < 3; n += 1) await create(service, key)
  await toNextDay()
  await applyRetention(deps)
  assert.ok(!(await loadDays(db)).partitioned.includes(day))
  assert.equal((await verdictOf(tenantId)).outcome, 'whole')
  await run(`delete from audit_details where tenant_id = $1 and day = $2`, [tenantId, day + 1])
  assert.equal((await verdictOf(tenantId)).outcome, 'tampered')
})

test('a verification that was written just after its day is kept as long as verifications written on that day', async () => {
  const day = await toNextDay()
  const { key } = await tenantKeeping(1)
  const { id } = await create(service, key)
  await run(`update verifications set created_at = to_timestamp($2 * 86400.0) + interval '3 seconds' where id = $1`, [
    id,
    day + 1,
  ])
  clock.advance((day + 2) * DAY_MS - clock.now() + 1_000)
  await applyRetention(deps)
  assert.ok(await isThere(key, id))
  clock.advance(900_000)
  await applyRetention(deps)
  assert.ok(!(await isThere(key, id)))
  assert.ok(!(await loadDays(db)).partitioned.includes(day))
})

test('a trail whose time was ahead of the clock stays complete', async () => {
  const day = await toNextDay()
  const { tenantId, key } = await tenantKeeping(1)
  const before = clock.now()
  clock.set(before + 2 * DAY_MS)
  const ahead = (await create(service, key)).id
  assert.equal((await call('DELETE', `/v1/verifications/${ahead}`, { key })).status, 200)
  clock.set(before)
  const { id } = await create(service, key)
  const [row] = await run('select created_at from verifications where id = $1', [id])
  assert.equal(dayAt(Date.parse((row as { created_at: string }).created_at)), day + 2)
  await toNextDay(2)
  await applyRetention(deps)
  assert.ok(!(await loadDays(db)).partitioned.includes(day))
  assert.ok(await isThere(key, id), 'it is erased at its own time')
  await toNextDay(2)
  await applyRetention(deps)
  assert.ok(!(await isThere(key, id)))
  assert.equal((await verdictOf(tenantId)).outcome, 'whole')
})

test('a day is kept if it has a row of a tenant that keeps its verifications', async () => {
  const day = await toNextDay()
  const [short, long] = [await tenantKeeping(1), await tenantKeeping(40)]
  const { id } = await create(service, short.key)
  await create(service, short.key)
  await run(`update verifications set tenant_id = $2 where id = $1`, [id, long.tenantId])
  await toNextDay(2)
  await applyRetention(deps)
  assert.ok((await loadDays(db)).partitioned.includes(day))
  assert.equal((await verdictOf(long.tenantId)).outcome, 'whole')
  await run('update tenants set retention_days = 1 where id = $1', [long.tenantId])
})

test('the check whether a tenant keeps a day takes no lock', async () => {
  await toNextDay()
  const [short, long] = [await tenantKeeping(1), await tenantKeeping(3)]
  const early = (await create(service, short.key)).id
  const { id } = await create(service, long.key)
  await toNextDay(2)
  await applyRetention(deps)
  const logged = service.logged.length
  await whilePartitionsAreRead(async () => void (await applyRetention(deps)))
  assert.ok(!service.logged.slice(logged).some((line) => line.includes('locked')))
  assert.ok(!(await isThere(short.key, early)))
  assert.ok(await isThere(long.key, id))
})

test('a lock delays a day without an alarm; in the morning an alarm is raised, and its rows are erased one by one', async () => {
  const day = await toNextDay()
  const { tenantId, key } = await tenantKeeping(1)
  const { id } = await create(service, key)
  await toNextDay(2)
  const before = await alarms()
  await whilePartitionsAreRead(async () => {
    await applyRetention(deps)
    assert.ok(await isThere(key, id))
    assert.equal(await alarms(), before)
    clock.advance(7 * 3_600_000)
    await applyRetention(deps)
    assert.ok(!(await isThere(key, id)))
    assert.equal(await alarms(), before + 1)
  })
  await applyRetention(deps)
  assert.ok(!(await loadDays(db)).partitioned.includes(day))
  assert.equal((await verdictOf(tenantId)).outcome, 'whole')
})

test('a day and its audit entries change together, or not at all', async () => {
  const day = await toNextDay()
  const { tenantId, key } = await tenantKeeping(1)
  const { id } = await create(service, key)
  await toNextDay(2)
  const died = () => Promise.reject(new Error('died'))
  const before = await alarms()
  await applyRetention({ ...deps, audit: { ...deps.audit, recordEach: died, recordAll: died } })
  assert.ok((await alarms()) > before)
  assert.ok(await isThere(key, id))
  assert.ok((await loadDays(db)).partitioned.includes(day))
  assert.equal((await applyRetention(deps)).verifications, 1)
  assert.equal((await verdictOf(tenantId)).outcome, 'whole')
})

test('a trail that accepts no entry keeps its day, with an alarm; other days are dropped', async () => {
  await toNextDay()
  const closed = await tenantKeeping(1)
  const kept = (await create(service, closed.key)).id
  await toNextDay()
  const open = await tenantKeeping(1)
  const gone = (await create(service, open.key)).id
  await toNextDay(2)
  await run(`update audit_heads set closed_until = 'infinity' where tenant_id = $1`, [closed.tenantId])
  const before = await alarms()
  await applyRetention(deps)
  assert.equal(await alarms(), before + 1)
  assert.ok(!(await isThere(open.key, gone)))
  assert.ok(await isThere(closed.key, kept))
  await run(`update audit_heads set closed_until = null where tenant_id = $1`, [closed.tenantId])
  await applyRetention(deps)
  assert.ok(!(await isThere(closed.key, kept)))
  assert.equal((await verdictOf(closed.tenantId)).outcome, 'whole')
})

/** Inserts audit details of no verification into the default partition. */
const insertUnplanned = (tenantId: string, seq: number, day: number) =>
  run(
    `insert into audit_details (tenant_id, environment, seq, object_id, salt, details, day)
     select tenant_id, environment, $2, object_id, salt, details, $3 from audit_details where tenant_id = $1 and environment = 'test' limit 1`,
    [tenantId, seq, day],
  )

test('a day that cannot have all of its tables gets none', async () => {
  const day = today() + 100
  const { tenantId } = await tenantKeeping(1)
  await insertUnplanned(tenantId, 1_000_000, day)
  assert.equal(await db.transaction((tx) => makeDay(tx, day)), false)
  assert.ok(!(await loadDays(db)).partitioned.includes(day))
})

test('no day is created automatically while attaching it would read much under a lock', async () => {
  const { tenantId } = await tenantKeeping(1)
  await insertUnplanned(tenantId, 2_000_000, today() + 200)
  const isMade = async (bytes: number | null) =>
    ((await run('select make_day($1, $2) as made', [today() + 201, bytes])) as { made: boolean }[])[0]?.made
  assert.equal(await isMade(0), false)
  assert.equal(await isMade(null), true)
})
