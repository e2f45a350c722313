// Tests that settings are changed one by one, so concurrent changes are all kept; table and store agree.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Setting, SettingValue } from '../../src/core/tenants/domain/setting.ts'
import { SETTINGS, type TenantSettings } from '../../src/core/tenants/domain/settings.ts'
import { loadTenantSettings, updateTenantSettings } from '../../src/core/tenants/store/settings.ts'
import { changeSettings, readSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import { lockTrail } from '../../src/features/audit/store/chain.ts'
import { instantOf } from '../../src/platform/world.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'

const service = await testService()
const { deps } = service

async function waiting(many: number): Promise<void> {
  const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const waits = { name: 'test_waiting', text }
  await waitUntil(`${many} wait for a lock`, async () => (await deps.db.query(waits)).length >= many)
}

test('a concurrent change is not overwritten', async () => {
  const tenantId = await service.tenant()
  const change = (wanted: object) => changeSettings(deps, { tenantId, change: wanted, actor: OPERATOR })
  const changes = await deps.db.transaction(async (tx) => {
    // The first change waits before its audit entry, and the second waits for the first.
    await lockTrail(tx, { tenantId, environment: 'test' }, instantOf(service.clock.now()))
    const first = change({ retentionDays: 7 })
    await waiting(1)
    const second = change({ statusPolicyTest: 'prefer' })
    await waiting(2)
    return { first, second }
  })
  await changes.first
  const secondResult = await changes.second
  assert.deepEqual([secondResult?.retentionDays, secondResult?.statusPolicyTest], [7, 'prefer'])
  assert.deepEqual(await readSettings(deps, tenantId), secondResult)
})

test("a new tenant has the values of the table of settings, and the store accepts exactly the table's values", async () => {
  const tenantId = await service.tenant()
  const byDefault = Object.fromEntries(SETTINGS.map(({ key, setting }) => [key, setting.fallback]))
  assert.deepEqual(await readSettings(deps, tenantId), byDefault)
  const store = async (key: string, value: SettingValue) => {
    const settings = await readSettings(deps, tenantId)
    assert.ok(settings !== null)
    await updateTenantSettings(deps.db, tenantId, { ...settings, [key]: value })
    return (await loadTenantSettings(deps.db, tenantId))?.[key as keyof TenantSettings]
  }
  for (const { key, setting } of SETTINGS) {
    for (const value of goodValues(setting)) assert.equal(await store(key, value), value, key)
    for (const value of badValues(setting)) await assert.rejects(store(key, value), { code: '23514' }, key)
  }
})

function goodValues(setting: Setting): SettingValue[] {
  if (setting.kind === 'switch') return [true, false]
  if (setting.kind === 'text') return ['as it is stored', null]
  return setting.kind === 'number' ? [setting.min, setting.max] : setting.choices.map(({ value }) => value)
}

function badValues(setting: Setting): SettingValue[] {
  if (setting.kind === 'switch' || setting.kind === 'text') return []
  if (setting.kind === 'number') return [setting.min - 1, setting.max + 1]
  return [typeof setting.fallback === 'number' ? 7 : 'neither']
}
