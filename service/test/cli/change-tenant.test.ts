// Tests that two concurrent changes of a tenant are both kept.

import assert from 'node:assert/strict'
import test from 'node:test'
import { changeTenant } from '../../src/core/tenants/usecases/manage-tenants.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'

const service = await testService()
const { deps } = service
const change = (tenantId: string, change: Parameters<typeof changeTenant>[1]['change']) =>
  changeTenant(deps, { tenantId, change, actor: OPERATOR })

const WAITING = {
  name: 'test_waiting',
  text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
}

test('two changes that wait for the same row are both kept', async () => {
  const tenantId = await service.tenant({})
  const both = await deps.db.transaction(async (tx) => {
    await tx.query({ name: 'test_lock_tenant', text: 'select from tenants where id = $1 for update' }, [tenantId])
    const started = [change(tenantId, { plan: 'enterprise' }), change(tenantId, { dailyQuota: 7 })]
    await waitUntil('both wait', async () => (await deps.db.query(WAITING)).length === 2)
    return { started }
  })
  await Promise.all(both.started)
  const tenant = await change(tenantId, {})
  assert.deepEqual([tenant?.plan, tenant?.dailyQuota], ['enterprise', 7])
})

test('a quota of null returns to the plan; an unknown tenant is null', async () => {
  const tenantId = await service.tenant({ dailyQuota: 7 })
  const tenant = await change(tenantId, { name: 'Another', dailyQuota: null })
  assert.deepEqual([tenant?.name, tenant?.dailyQuota], ['Another', null])
  assert.equal(await change('ten_none', { plan: 'free' }), null)
})
