// Settings are changed one by one: two who change different ones at once both get their way.

import assert from 'node:assert/strict'
import test from 'node:test'
import { instantOf } from '../../src/domain/world.ts'
import { lockChain } from '../../src/store/audit/chain.ts'
import { changeSettings, readSettings } from '../../src/usecases/operator/manage-settings.ts'
import { OPERATOR, testService } from '../harness/service.ts'

const service = await testService()
const { deps } = service

async function waiting(many: number): Promise<void> {
  const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await deps.db.query({ name: 'test_waiting', text })).length < many);
}

test('a change that meets another one overwrites nothing of it', async () => {
  const tenantId = await service.tenant()
  const change = (wanted: object) => changeSettings(deps, { tenantId, change: wanted, actor: OPERATOR })
  const changes = await deps.db.transaction(async (tx) => {
    // The first stands before its audit entry, the second before the first.
    await lockChain(tx, { tenantId, environment: 'test' }, instantOf(service.clock.now()))
    const first = change({ retentionDays: 7 })
    await waiting(1)
    const second = change({ statusPolicyTest: 'prefer' })
    await waiting(2)
    return { first, second }
  })
  await changes.first
  const told = await changes.second
  assert.deepEqual([told?.retentionDays, told?.statusPolicyTest], [7, 'prefer'])
  assert.deepEqual(await readSettings(deps, tenantId), told)
})
