// Tests that a lapse accounts only for the entries that it names, whatever else is erased before or after.

import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { loadDays } from '../../src/features/retention/store/day-partitions.ts'
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
  await keep(tenantId, days)
  return { tenantId, key: await service.key(tenantId) }
}

const keep = (tenantId: string, days: number) =>
  run('update tenants set retention_days = $2 where id = $1', [tenantId, days])

let statements = 0
const run = <Row extends object>(text: string, values: unknown[] = []) =>
  db.query<Row>({ name: `test_${statements++}`, text, replanEachCall: true }, values)

const verdictOf = (tenantId: string) => verifyStored(deps, { realm: { tenantId, environment }, log: 'whole' })
const outcomeOf = async (tenantId: string) => (await verdictOf(tenantId)).outcome

const status = async (key: string, id: string) => (await call('GET', `/v1/verifications/${id}`, { key })).status

/** Creates a verification whose id is of the day before, because midnight passed during its creation. */
async function createLate(key: string, idMadeAt: number): Promise<string> {
  const { timeOfId } = deps.creations
  Object.assign(deps.creations, { timeOfId: () => idMadeAt })
  try {
    return (await create(service, key)).id
  } finally {
    Object.assign(deps.creations, { timeOfId })
  }
}

test('the run that drops a day erases a newer verification, as the release before wrote it', async () => {
  const day = await toNextDay()
  const { tenantId, key } = await tenantKeeping(1)
  await create(service, key)
  clock.advance(60_000)
  const { id } = await create(service, key)
  await run('update verifications set day = 0 where id = $1', [id])
  await run('update audit_details set day = 0 where object_id = $1', [id])
  await toNextDay(2)
  await applyRetention(deps)
  assert.ok(!(await loadDays(db)).partitioned.includes(day))
  assert.equal(await status(key, id), 404)
  assert.equal(await outcomeOf(tenantId), 'whole')
})

test('the trail is whole after a retention that was longer for a while', async () => {
  await toNextDay()
  const { tenantId, key } = await tenantKeeping(30)
  await create(service, key)
  clock.advance(60_000)
  await keep(tenantId, 60)
  await create(service, key)
  await toNextDay(3)
  await keep(tenantId, 1)
  await applyRetention(deps)
  assert.equal(await outcomeOf(tenantId), 'whole')
})

test('of two creations that overlap at midnight, the merchant may erase the newer one, or its day erases it separately', async () => {
  for (const [how, isKept] of [
    ['merchant', false],
    ['retention', true],
  ] as const) {
    const day = await toNextDay()
    const { tenantId, key } = await tenantKeeping(1)
    const other = await tenantKeeping(1)
    await create(service, key)
    clock.advance((day + 1) * DAY_MS - clock.now() - 1)
    const before = clock.now()
    clock.advance(200)
    const { id } = await create(service, key)
    clock.advance(200)
    await createLate(key, before)
    await create(service, other.key)
    clock.advance((day + 2) * DAY_MS - clock.now() + 900_000)
    await runJob(deps, 'make-days')
    await applyRetention(deps)
    assert.ok(!(await loadDays(db)).partitioned.includes(day), how)
    assert.equal(await outcomeOf(tenantId), 'whole', how)
    if (isKept) await keep(other.tenantId, 5)
    else assert.equal((await call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
    await toNextDay()
    await applyRetention(deps)
    assert.equal(await status(key, id), 404)
    assert.equal((await loadDays(db)).partitioned.includes(day + 1), isKept)
    assert.equal(await outcomeOf(tenantId), 'whole', how)
    await keep(other.tenantId, 1)
  }
})

test('rows that an attacker inserts into a day do not hide a loss of other details', async () => {
  const day = await toNextDay()
  const { tenantId, key } = await tenantKeeping(1)
  const { id } = await create(service, key)
  await toNextDay(2)
  const stolen: string[] = []
  for (let i = 0; i < 3; i += 1) stolen.push((await create(service, key)).id)
  await run(
    `insert into verifications select (jsonb_populate_record(v, jsonb_build_object(
       'id', 'ver_' || lpad(g::text, 32, 'F'), 'created_at', timestamptz '2090-01-01' + g * interval '1 second',
       'expires_at', timestamptz '2090-01-02'))).* from verifications v, generate_series(1, 3) g where v.id = $1`,
    [id],
  )
  await applyRetention(deps)
  assert.ok(!(await loadDays(db)).partitioned.includes(day))
  assert.equal(await outcomeOf(tenantId), 'whole')
  await run('delete from audit_details where object_id = any ($1)', [stolen])
  await run('delete from verifications where id = any ($1)', [stolen])
  assert.equal(await outcomeOf(tenantId), 'tampered')
  await run(`delete from verifications where id like 'ver_FFF%'`)
})

test('details that an attacker copies into a past day do not hide a loss of the originals', async () => {
  const day = await toNextDay()
  const { tenantId, key } = await tenantKeeping(1)
  const early = (await create(service, key)).id
  await toNextDay()
  clock.advance(3_600_000)
  const { id } = await create(service, key)
  await toNextDay()
  await run(
    `insert into audit_details (tenant_id, environment, seq, object_id, salt, details, day)
     select tenant_id, environment, seq, object_id, salt, '{}', $2 from audit_details where object_id = $1`,
    [id, day],
  )
  await run('delete from audit_details where object_id = $1 and day = $2', [id, day + 1])
  for (let days = 0; days < 3; days += 1) {
    await applyRetention(deps)
    assert.equal(await status(key, early), 404)
    assert.equal(await outcomeOf(tenantId), 'tampered')
    await toNextDay()
  }
})

test('details of a realm that has no verification in the day stay', async () => {
  const day = await toNextDay()
  const [gone, other] = [await tenantKeeping(1), await tenantKeeping(1)]
  const { id } = await create(service, gone.key)
  await create(service, other.key)
  await run('delete from verifications where id = $1', [id])
  await toNextDay(2)
  await applyRetention(deps)
  assert.ok(!(await loadDays(db)).partitioned.includes(day))
  assert.deepEqual(await run('select day from audit_details where object_id = $1', [id]), [{ day: 0 }])
  for (const { tenantId } of [gone, other]) assert.equal(await outcomeOf(tenantId), 'whole')
})

test('details that arrive while the entries are being named keep the day for another run', async () => {
  const day = await toNextDay()
  const { tenantId, key } = await tenantKeeping(1)
  const { id } = await create(service, key)
  await toNextDay()
  await applyRetention(deps)
  await toNextDay()
  const holding = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holder = db.transaction(async (tx) => {
    await tx.query({ name: 'test_hold_table', text: 'select 1 as one from verifications limit 1' })
    holding.resolve()
    await release.promise
  })
  await within('the table is locked', holding.promise)
  let isNamed = false
  db.watch(({ name }) => {
    if (name !== 'name_entries' || isNamed) return
    isNamed = true
    void run(
      `insert into audit_details (tenant_id, environment, seq, object_id, salt, details, day)
       select tenant_id, environment, seq + 100, object_id, salt, details, day from audit_details where object_id = $1`,
      [id],
    ).then(() => release.resolve(), release.reject)
  })
  const logged = service.logged.length
  await applyRetention(deps)
  await holder
  assert.ok((await loadDays(db)).partitioned.includes(day))
  assert.ok(service.logged.slice(logged).some((line) => line.includes('could not be dropped as a whole')))
  assert.equal(await status(key, id), 404, 'erased one by one')
  await applyRetention(deps)
  assert.ok(!(await loadDays(db)).partitioned.includes(day))
  assert.equal(await outcomeOf(tenantId), 'whole')
})
