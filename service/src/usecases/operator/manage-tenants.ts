// The operator's tenants: made, listed, changed. Each change stands on the audit chains of both environments.

import type { Deps } from '../../deps.ts'
import type { AuditActor, AuditEvent } from '../../domain/audit/entry.ts'
import { newTenantId } from '../../domain/ids.ts'
import type { Plan, Tenant } from '../../domain/tenant/tenant.ts'
import { ENVIRONMENTS, type Instant, instantOf } from '../../domain/world.ts'
import { appendAudit, beginChain } from '../../store/audit/chain.ts'
import type { Tx } from '../../store/postgres/db.ts'
import { insertTenant, listAllTenants, loadTenant, updateTenant } from '../../store/tenants/tenants.ts'

export interface TenantChange {
  readonly name?: string
  readonly plan?: Plan
  /** null returns to the plan's quota. */
  readonly dailyQuota?: number | null
}

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'headMacs'>

export async function createTenant(
  deps: Needs,
  input: { name: string; plan: Plan; dailyQuota: number | null; actor: AuditActor },
): Promise<Tenant> {
  const now = instantOf(deps.clock.now())
  const tenant: Tenant = {
    id: newTenantId(deps.random),
    name: input.name,
    plan: input.plan,
    dailyQuota: input.dailyQuota,
    createdAt: now,
  }
  await deps.db.transaction(async (tx) => {
    await insertTenant(tx, tenant)
    await recordOnBoth(deps, tx, { tenant, now, action: 'tenant.created', actor: input.actor })
  })
  return tenant
}

export async function listTenants(deps: Pick<Deps, 'db'>): Promise<Tenant[]> {
  return listAllTenants(deps.db)
}

export async function findTenant(deps: Pick<Deps, 'db'>, tenantId: string): Promise<Tenant | null> {
  return loadTenant(deps.db, tenantId)
}

/** null when there is no such tenant. */
export async function changeTenant(
  deps: Needs,
  input: { tenantId: string; change: TenantChange; actor: AuditActor },
): Promise<Tenant | null> {
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    const before = await loadTenant(tx, input.tenantId)
    if (before === null) return null
    const tenant: Tenant = {
      ...before,
      name: input.change.name ?? before.name,
      plan: input.change.plan ?? before.plan,
      dailyQuota: input.change.dailyQuota === undefined ? before.dailyQuota : input.change.dailyQuota,
    }
    await updateTenant(tx, tenant)
    await recordOnBoth(deps, tx, { tenant, now, action: 'tenant.updated', actor: input.actor })
    return tenant
  })
}

async function recordOnBoth(
  deps: Pick<Deps, 'random' | 'headMacs'>,
  tx: Tx,
  entry: { tenant: Tenant; now: Instant; action: 'tenant.created' | 'tenant.updated'; actor: AuditActor },
): Promise<void> {
  const { tenant } = entry
  const event: AuditEvent = {
    action: entry.action,
    actor: entry.actor,
    object: { type: 'tenant', id: tenant.id },
    details: { name: tenant.name, plan: tenant.plan, daily_quota: tenant.dailyQuota },
  }
  const write = entry.action === 'tenant.created' ? beginChain : appendAudit
  for (const environment of ENVIRONMENTS) {
    await write(
      tx,
      { tenantId: tenant.id, environment },
      { now: entry.now, random: deps.random, headMacs: deps.headMacs, events: [event] },
    )
  }
}
