// Manages the operator's tenants: create, list, change. Records each change on the audit trails of both environments.

import type { Deps } from '../../../deps.ts'
import { newTenantId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { instantOf } from '../../../platform/world.ts'
import type { AuditActor } from '../../ports/audit.ts'
import type { Plan, Tenant, TenantChange } from '../domain/tenant.ts'
import { insertTenant, isTenantNameTaken, listAllTenants, loadTenant, updateTenant } from '../store/tenants.ts'

interface NewTenant {
  readonly name: string
  readonly plan: Plan
  /** null: the plan's quota. */
  readonly dailyQuota: number | null
  readonly actor: AuditActor
}

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'audit'>

export async function createTenant(deps: Needs, input: NewTenant): Promise<Tenant> {
  const tenant = newTenant(deps, input)
  await deps.db.transaction((tx) => insertNew(deps, tx, tenant, input.actor))
  return tenant
}

/** null if the name is taken. Of two concurrent calls, only one creates the tenant. */
export async function createTenantOnce(deps: Needs, input: NewTenant): Promise<Tenant | null> {
  const tenant = newTenant(deps, input)
  return deps.db.transaction(async (tx) => {
    if (await isTenantNameTaken(tx, input.name)) return null
    await insertNew(deps, tx, tenant, input.actor)
    return tenant
  })
}

const newTenant = (deps: Pick<Deps, 'clock' | 'random'>, { name, plan, dailyQuota }: NewTenant): Tenant => ({
  id: newTenantId(deps.random),
  name,
  plan,
  dailyQuota,
  createdAt: instantOf(deps.clock.now()),
})

async function insertNew(deps: Needs, tx: Tx, tenant: Tenant, actor: AuditActor): Promise<void> {
  await insertTenant(tx, tenant)
  const event = { ...changeOf(tenant), now: tenant.createdAt, action: 'tenant.created', actor } as const
  await deps.audit.begin(tx, tenant.id, event)
}

export async function listTenants(deps: Pick<Deps, 'db'>): Promise<Tenant[]> {
  return listAllTenants(deps.db)
}

export async function findTenant(deps: Pick<Deps, 'db'>, tenantId: string): Promise<Tenant | null> {
  return loadTenant(deps.db, tenantId)
}

/** null if there is no such tenant. */
export async function changeTenant(
  deps: Needs,
  input: { tenantId: string; change: TenantChange; actor: AuditActor },
): Promise<Tenant | null> {
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    const tenant = await updateTenant(tx, input.tenantId, input.change)
    if (tenant === null) return null
    const event = { ...changeOf(tenant), now, action: 'tenant.updated', actor: input.actor } as const
    await deps.audit.recordOnBoth(tx, tenant.id, event)
    return tenant
  })
}

const changeOf = ({ id, name, plan, dailyQuota }: Tenant) => ({
  object: { type: 'tenant', id },
  details: { name, plan, daily_quota: dailyQuota },
})
