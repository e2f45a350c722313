// Tests that a move of a tenant with partitions of days leaves no rows, and that no day is dropped in between.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { closeForMove, reopen } from '../../src/features/operator/store/closings.ts'
import { switchTenant } from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { loadDays } from '../../src/features/retention/store/day-partitions.ts'
import { applyRetention } from '../../src/features/retention/usecases/apply-retention.ts'
import { makeDays } from '../../src/features/retention/usecases/make-days.ts'
import { DAY_MS, dayAt, type Lapsed } from '../../src/platform/postgres/days.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'
import { create } from '../wallet/verifications.ts'
import { completed, moveOf, run, twoInstallations } from './installations.ts'

it('all rows of several days are deleted where the tenant was', async () => {
  const both = await twoInstallations()
  const { source } = both
  await makeDays(source.deps)
  const tenantId = await source.tenant()
  await completed(source, await source.key(tenantId))
  await switchTenant(moveOf(both, tenantId), { stopSeconds: 30 })
  // Instead of 1,500 verifications on each of three days: the details of their creations.
  await run(
    source,
    `insert into audit_details (tenant_id, environment, seq, object_id, salt, details, day)
     select tenant_id, environment, 100000 + d * 10000 + n, object_id, salt, details, $2::int + d
     from audit_details, generate_series(1, 3) d, generate_series(1, 1500) n
     where tenant_id = $1 and object_id like 'ver_%'`,
    [tenantId, dayAt(source.clock.now())],
  )
  source.clock.advance(2 * DAY_MS)
  await runJob(source.deps, 'delete-copies')
  const left = { name: 'test_left', text: 'select 1 as one from audit_details where tenant_id = $1 limit 1' }
  assert.deepEqual(await source.deps.db.query(left, [tenantId]), [])
})

it('a tenant cannot leave while one of its days is being dropped', async () => {
  const service = await testService({})
  const { clock, deps } = service
  const toNextDay = (days = 1) => clock.advance((dayAt(clock.now()) + days) * DAY_MS - clock.now() + 900_000)
  await makeDays(deps)
  toNextDay()
  const day = dayAt(clock.now())
  const tenantId = await service.tenant()
  await run(service, 'update tenants set retention_days = 1 where id = $1', [tenantId])
  await create(service, await service.key(tenantId))
  toNextDay(2)
  const closings: (string | null)[] = []
  const watching = {
    name: 'a move',
    forgetLapsed: async (_: unknown, lapsing: Lapsed) => {
      if (lapsing.day === day) closings.push(await closeForMove(deps.db, tenantId, 3_600))
    },
  }
  await applyRetention({ ...deps, forgetting: [...deps.forgetting, watching] })
  assert.deepEqual(closings, [null])
  assert.deepEqual((await loadDays(deps.db)).lapsed, [])
  assert.notEqual(await closeForMove(deps.db, tenantId, 60), null)
})

it('the days of a closed tenant are kept; verifications of others in them are deleted one by one', async () => {
  const service = await testService({})
  const { clock, deps } = service
  const toNextDay = (days = 1) => clock.advance((dayAt(clock.now()) + days) * DAY_MS - clock.now() + 900_000)
  await makeDays(deps)
  toNextDay()
  const day = dayAt(clock.now())
  const tenantKeepingADay = async () => {
    const tenantId = await service.tenant()
    await run(service, 'update tenants set retention_days = 1 where id = $1', [tenantId])
    const key = await service.key(tenantId)
    return { tenantId, key, id: (await create(service, key)).id }
  }
  const [leaving, other] = [await tenantKeepingADay(), await tenantKeepingADay()]
  toNextDay(2)
  const until = (await closeForMove(deps.db, leaving.tenantId, 3_600)) ?? assert.fail()
  await applyRetention(deps)
  assert.ok((await loadDays(deps.db)).partitioned.includes(day))
  assert.equal((await service.call('GET', `/v1/verifications/${other.id}`, { key: other.key })).status, 404)
  await reopen(deps.db, leaving.tenantId, until)
  assert.equal((await service.call('GET', `/v1/verifications/${leaving.id}`, { key: leaving.key })).status, 200)
  await applyRetention(deps)
  assert.ok(!(await loadDays(deps.db)).partitioned.includes(day))
})
