// Stores tenants.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Plan, Tenant, TenantChange } from '../domain/tenant.ts'

const COLUMNS = 'id, name, plan, daily_quota, created_at'

interface TenantRow {
  id: string
  name: string
  plan: Plan
  daily_quota: number | null
  created_at: string
}

export async function insertTenant(tx: Tx, tenant: Tenant): Promise<void> {
  await tx.query(
    {
      name: 'insert_tenant',
      text: `insert into tenants (${COLUMNS}) values ($1, $2, $3, $4, $5)`,
    },
    [tenant.id, tenant.name, tenant.plan, tenant.dailyQuota, tenant.createdAt],
  )
}

/** Locks the name until the transaction ends, so that a concurrent creation with the same name waits. */
export async function isTenantNameTaken(tx: Tx, name: string): Promise<boolean> {
  const text = `select pg_advisory_xact_lock(hashtextextended('tenants.name|' || $1, 0))`
  await tx.query({ name: 'lock_tenant_name', text }, [name])
  const rows = await tx.query({ name: 'find_tenant_name', text: 'select id from tenants where name = $1 limit 1' }, [
    name,
  ])
  return rows.length === 1
}

export async function loadTenant(tx: Tx, tenantId: string): Promise<Tenant | null> {
  const [row] = await tx.query<TenantRow>(
    { name: 'load_tenant', text: `select ${COLUMNS} from tenants where id = $1` },
    [tenantId],
  )
  return row === undefined ? null : toTenant(row)
}

export async function listAllTenants(tx: Tx): Promise<Tenant[]> {
  const rows = await tx.query<TenantRow>({
    name: 'list_all_tenants',
    text: `select ${COLUMNS} from tenants order by created_at, id`,
  })
  return rows.map(toTenant)
}

/** Changes only the given members. Returns the tenant after the change; null if there is none. */
export async function updateTenant(tx: Tx, tenantId: string, change: TenantChange): Promise<Tenant | null> {
  const [row] = await tx.query<TenantRow>(
    {
      name: 'update_tenant',
      text: `update tenants set name = coalesce($2, name), plan = coalesce($3, plan),
        daily_quota = case when $4 then $5 else daily_quota end where id = $1 returning ${COLUMNS}`,
    },
    [tenantId, change.name ?? null, change.plan ?? null, change.dailyQuota !== undefined, change.dailyQuota ?? null],
  )
  return row === undefined ? null : toTenant(row)
}

function toTenant(row: TenantRow): Tenant {
  return { id: row.id, name: row.name, plan: row.plan, dailyQuota: row.daily_quota, createdAt: row.created_at }
}
