// Tests a store restored to before a day lapsed: the erasures of a newer export are repeated, also of whole days.

import assert from 'node:assert/strict'
import test from 'node:test'
import { exportAudit } from '../../src/features/audit/usecases/read-audit.ts'
import { replayErasures } from '../../src/features/operator/usecases/replay-erasures.ts'
import { loadDays } from '../../src/features/retention/store/day-partitions.ts'
import { applyRetention } from '../../src/features/retention/usecases/apply-retention.ts'
import { DAY_MS, dayAt } from '../../src/platform/postgres/days.ts'
import { instantOf } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const { call, clock, deps } = service
const { db } = deps

/** Deps whose lapsed days stay, because a feature cannot forget. */
const failing: typeof deps = {
  ...deps,
  forgetting: [...deps.forgetting, { name: 'failing', forgetLapsed: () => Promise.reject(new Error('not now')) }],
}

/** Moves the clock to a quarter of an hour into that day, and creates its partitions. */
async function toNextDay(days = 1): Promise<number> {
  clock.advance((dayAt(clock.now()) + days) * DAY_MS - clock.now() + 900_000)
  await runJob(deps, 'make-days')
  return dayAt(clock.now())
}

async function tenantKeeping(days: number): Promise<{ tenantId: string; key: string }> {
  const tenantId = await service.tenant()
  await keep(tenantId, days)
  return { tenantId, key: await service.key(tenantId) }
}

const keep = (tenantId: string, days: number) =>
  run('update tenants set retention_days = $2 where id = $1', [tenantId, days])

let statements = 0
const run = (text: string, values: unknown[] = []) =>
  db.query({ name: `test_${statements++}`, text, replanEachCall: true }, values)

const status = async (key: string, id: string) => (await call('GET', `/v1/verifications/${id}`, { key })).status

async function exported(tenantId: string): Promise<() => AsyncIterable<string>> {
  const lines: string[] = []
  for await (const line of exportAudit(deps, { tenantId, environment: 'test' })) lines.push(line)
  return async function* () {
    yield* lines
  }
}

test('after a restore, lapsed verifications are erased again, like verifications that were erased one by one', async () => {
  for (const how of ['whole', 'whole, and not dropped yet', 'one by one']) {
    const isWhole = how !== 'one by one'
    const day = await toNextDay()
    const { tenantId, key } = await tenantKeeping(30)
    const other = await tenantKeeping(30)
    const { id } = await create(service, key)
    if (!isWhole) await create(service, other.key)
    await toNextDay(3)
    await run('create table backup as select * from verifications where id = $1', [id])
    await keep(tenantId, 1)
    await applyRetention(how === 'whole, and not dropped yet' ? failing : deps)
    assert.equal((await loadDays(db)).partitioned.includes(day), !isWhole)
    assert.equal(await status(key, id), 404)
    const lines = await exported(tenantId)
    await applyRetention(deps)
    await keep(tenantId, 30)
    await run('insert into verifications select * from backup')
    await run('drop table backup')
    assert.equal(await status(key, id), 200)
    const replayed = await replayErasures(deps, lines)
    assert.equal(replayed.outcome === 'replayed' && replayed.erased, 1, JSON.stringify(replayed))
    assert.equal(await status(key, id), 404)
    const again = await replayErasures(deps, lines)
    assert.deepEqual(again.outcome === 'replayed' && [again.erased, again.alreadyGone], [0, 1])
    await keep(other.tenantId, 1)
  }
})

test('after a restore, verifications that lapsed while the export was being written are erased again', async () => {
  await toNextDay()
  const { tenantId, key } = await tenantKeeping(1)
  const realm = { tenantId, environment: 'test' } as const
  const [{ id }, erased] = [await create(service, key), await create(service, key)]
  const event = { action: 'user.signed_in', actor: OPERATOR, object: { type: 'user', id: 'usr_1' } } as const
  const events = Array.from({ length: 1_000 }, () => event)
  await db.transaction((tx) => deps.audit.recordAll(tx, realm, { now: instantOf(clock.now()), events }))
  await toNextDay(2)
  const { id: kept } = await create(service, key)
  await run('create table backup as select * from verifications where id = $1', [id])
  assert.equal((await call('DELETE', `/v1/verifications/${erased.id}`, { key })).status, 200)
  const writing = exportAudit(deps, realm)
  const lines: string[] = []
  // The header and the first page of entries.
  for (let i = 0; i < 2; i += 1) lines.push((await writing.next()).value ?? assert.fail())
  await applyRetention(deps)
  assert.equal(await status(key, id), 404)
  for await (const line of writing) lines.push(line)
  const before = lines.map((line) => JSON.parse(line)).find(({ entry }) => entry?.includes(id) === true)
  assert.notEqual(before.salt, undefined, 'its details were read before they lapsed')
  await run('insert into verifications select * from backup')
  await run('drop table backup')
  const replayed = await replayErasures(deps, async function* () {
    yield* lines
  })
  assert.deepEqual(replayed.outcome === 'replayed' && [replayed.erased, replayed.alreadyGone], [1, 1])
  assert.deepEqual([await status(key, id), await status(key, kept)], [404, 200])
})
