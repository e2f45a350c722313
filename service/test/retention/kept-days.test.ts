// Tests a day that one tenant keeps: searched once an hour for verifications of others; two runs do not conflict.

import assert from 'node:assert/strict'
import test from 'node:test'
import { loadDays } from '../../src/features/retention/store/day-partitions.ts'
import { lapseDays } from '../../src/features/retention/usecases/lapse-days.ts'
import { DAY_MS, dayAt } from '../../src/platform/postgres/days.ts'
import { NEVER_STOPPED } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const { call, clock, deps } = service
const { db } = deps

const today = () => dayAt(clock.now())
const to = (day: number, minutes: number) => clock.set(day * DAY_MS + minutes * 60_000)

async function tenantKeeping(days: number): Promise<string> {
  const tenantId = await service.tenant()
  await db.query({ name: 'test_days', text: 'update tenants set retention_days = $2 where id = $1' }, [tenantId, days])
  return service.key(tenantId)
}

const sent: string[] = []
db.watch(({ name }) => void sent.push(name))

/** Runs the job, and returns how often it searched a partition. */
async function searchesOfRun(): Promise<number> {
  const before = sent.length
  await runJob(deps, 'apply-retention')
  return sent.slice(before).filter((name) => name === 'find_overdue_verifications').length
}

const isThere = async (key: string, id: string) =>
  (await call('GET', `/v1/verifications/${id}`, { key })).status === 200

test('a kept day is searched once an hour, and right after the day that ends a retention', async () => {
  await runJob(deps, 'make-days')
  const [brief, long] = [await tenantKeeping(1), await tenantKeeping(3)]
  const day = today()
  const [gone, kept] = [(await create(service, brief)).id, (await create(service, long)).id]
  to(day + 2, 9)
  assert.equal(await searchesOfRun(), 1, 'the day is searched again, because late rows of the day may still come')
  assert.equal(await isThere(brief, gone), true)
  to(day + 2, 10)
  assert.equal(await searchesOfRun(), 2, 'and the kept day')
  assert.deepEqual([await isThere(brief, gone), await isThere(long, kept)], [false, true])
  to(day + 2, 11)
  assert.equal(await searchesOfRun(), 2, 'the search continues until it finds nothing')
  for (const minutes of [12, 30, 69]) {
    to(day + 2, minutes)
    assert.equal(await searchesOfRun(), 1)
  }
  to(day + 2, 70)
  assert.equal(await searchesOfRun(), 2)
  to(day + 4, 9)
  await runJob(deps, 'apply-retention')
  assert.ok((await loadDays(db)).partitioned.includes(day))
  to(day + 4, 10)
  await runJob(deps, 'apply-retention')
  assert.ok(!(await loadDays(db)).partitioned.includes(day), 'dropped as soon as no tenant keeps it')
})

test('a day that no tenant keeps is dropped as a whole, not row by row in the minutes before', async () => {
  await runJob(deps, 'make-days')
  const day = today()
  const tenantId = await service.tenant()
  await db.query({ name: 'test_day', text: 'update tenants set retention_days = 1 where id = $1' }, [tenantId])
  const key = await service.key(tenantId)
  for (let i = 0; i < 3; i += 1) await create(service, key)
  const erased = async () => {
    const text = `select convert_from(bytes, 'UTF8')::jsonb ->> 'action' as action from audit_entries where tenant_id = $1 order by seq`
    const rows = await db.query<{ action: string }>({ name: 'test_erased', text }, [tenantId])
    return rows.map(({ action }) => action).filter((action) => /erased|lapsed/.test(action))
  }
  for (const minutes of [0, 1, 9]) {
    to(day + 2, minutes)
    await runJob(deps, 'apply-retention')
    assert.deepEqual(await erased(), [])
  }
  to(day + 2, 11)
  await runJob(deps, 'apply-retention')
  assert.deepEqual(await erased(), ['verifications.lapsed'])
})

test('a retention that becomes shorter applies within an hour', async () => {
  await runJob(deps, 'make-days')
  const [brief, long] = [await tenantKeeping(20), await tenantKeeping(30)]
  const day = today()
  const { id } = await create(service, brief)
  await create(service, long)
  to(day + 5, 15)
  await runJob(deps, 'apply-retention')
  await db.query({ name: 'test_shorter', text: 'update tenants set retention_days = 2 where retention_days = 20' })
  to(day + 5, 16)
  await runJob(deps, 'apply-retention')
  to(day + 5, 75)
  await runJob(deps, 'apply-retention')
  assert.equal(await isThere(brief, id), false)
})

test('a second run that finds its days dropped by the first raises no alarm', async () => {
  await runJob(deps, 'make-days')
  const day = today()
  await create(service, await tenantKeeping(1))
  to(day + 2, 15)
  const days = await loadDays(db)
  assert.ok(days.partitioned.includes(day))
  const stale = { ...days, partitioned: [day], lapsed: [day] }
  assert.equal((await lapseDays(deps, { ...stale, lapsed: [] }, NEVER_STOPPED)).verifications, 1)
  assert.deepEqual(await lapseDays(deps, stale, NEVER_STOPPED), { verifications: 0, kept: [], stuck: [] })
  assert.doesNotMatch(await deps.metrics.registry.metrics(), /alarm="retention_not_applied"\} [1-9]/)
})
