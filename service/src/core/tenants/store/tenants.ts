// Reads and writes tenants. Apart from `listAllTenants`, which is for the operator, statements use the tenant's id.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Plan, Tenant } from '../domain/tenant.ts'

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

/** Makes a concurrent creation with the same name wait. */
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

/** False if there is no such tenant. */
export async function updateTenant(tx: Tx, tenant: Tenant): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'update_tenant',
      text: 'update tenants set name = $2, plan = $3, daily_quota = $4 where id = $1 returning id',
    },
    [tenant.id, tenant.name, tenant.plan, tenant.dailyQuota],
  )
  return rows.length === 1
}

function toTenant(row: TenantRow): Tenant {
  return { id: row.id, name: row.name, plan: row.plan, dailyQuota: row.daily_quota, createdAt: row.created_at }
}
