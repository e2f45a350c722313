// Tests that counting endings in both installations neither ends a move nor counts an ending twice.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { switchTenant } from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { runJob } from '../harness/jobs.ts'
import { create } from '../wallet/verifications.ts'
import { completed, moveOf, run, twoInstallations } from './installations.ts'

it('endings that are not counted yet when a tenant stops are counted once, at the new installation', async () => {
  const both = await twoInstallations()
  const { source, target } = both
  const tenantId = await source.tenant()
  const key = await source.key(tenantId)
  await create(source, key)
  for (const { clock } of [source, target]) clock.advance(3_700_000)
  await runJob(source.deps, 'count-endings')
  await completed(source, key)
  const move = moveOf(both, tenantId, async (step) => {
    if (step === 'verify') for (const { deps } of [source, target]) await runJob(deps, 'count-endings')
  })
  assert.notEqual((await switchTenant(move, { stopSeconds: 30 })).stoppedMs, null)
  await runJob(target.deps, 'count-endings')
  assert.deepEqual(
    await run(
      target,
      `select outcome, sum(count)::int as count from verification_counts
       where tenant_id = $1 and step = 'day' and kind = 'all' and outcome in ('completed', 'failed', 'expired') group by 1 order by 1`,
      [tenantId],
    ),
    [
      { outcome: 'completed', count: 1 },
      { outcome: 'expired', count: 1 },
    ],
  )
})
