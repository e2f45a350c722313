// Reads and changes a tenant's settings. Records each change on the audit trails of both environments.

import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import type { AuditActor } from '../../ports/audit.ts'
import type { TenantSettings } from '../domain/settings.ts'
import { loadTenantSettings, lockTenantSettings, updateTenantSettings } from '../store/settings.ts'

/** null if there is no such tenant. */
export async function readSettings(deps: Pick<Deps, 'db'>, tenantId: string): Promise<TenantSettings | null> {
  const row = await loadTenantSettings(deps.db, tenantId)
  if (row === null) return null
  const { plan, dailyQuota, ...settings } = row
  return settings
}

/** The settings after the change; null if there is no such tenant. */
export async function changeSettings(
  deps: Pick<Deps, 'db' | 'clock' | 'audit'>,
  input: { readonly tenantId: string; readonly change: Partial<TenantSettings>; readonly actor: AuditActor },
): Promise<TenantSettings | null> {
  const { tenantId, change, actor } = input
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    const before = await lockTenantSettings(tx, tenantId)
    if (before === null) return null
    const settings = { ...before, ...change }
    await updateTenantSettings(tx, tenantId, settings)
    const object = { type: 'tenant', id: tenantId }
    await deps.audit.recordOnBoth(tx, tenantId, {
      now,
      actor,
      action: 'settings.changed',
      object,
      details: { ...change },
    })
    return settings
  })
}
