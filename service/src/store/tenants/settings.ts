// Tenants' settings: columns of the tenant's row.

import type { TenantSettings } from '../../domain/tenant/settings.ts'
import type { Plan } from '../../domain/tenant/tenant.ts'
import type { Tx } from '../postgres/db.ts'

const COLUMNS = `retention_days as "retentionDays", wallet_rejection_status as "walletRejectionStatus",
  status_policy_test as "statusPolicyTest", status_policy_live as "statusPolicyLive", haip,
  client_id_prefix as "clientIdPrefix", response_mode as "responseMode"`

/** With what the quota is made of: creation needs both, in one look. */
export interface SettingsRow extends TenantSettings {
  readonly plan: Plan
  readonly dailyQuota: number | null
}

export async function loadTenantSettings(tx: Tx, tenantId: string): Promise<SettingsRow | null> {
  const [row] = await tx.query<SettingsRow>(
    {
      name: 'load_tenant_settings',
      text: `select plan, daily_quota as "dailyQuota", ${COLUMNS} from tenants where id = $1`,
    },
    [tenantId],
  )
  return row ?? null
}

/** Whoever else means to change them waits. Not as strong as a lock for deletion: rows of the tenant are made meanwhile. */
export async function lockTenantSettings(tx: Tx, tenantId: string): Promise<TenantSettings | null> {
  const [row] = await tx.query<TenantSettings>(
    { name: 'lock_tenant_settings', text: `select ${COLUMNS} from tenants where id = $1 for no key update` },
    [tenantId],
  )
  return row ?? null
}

/** False when there is no such tenant. */
export async function updateTenantSettings(tx: Tx, tenantId: string, settings: TenantSettings): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'update_tenant_settings',
      text: `update tenants set retention_days = $2, wallet_rejection_status = $3, status_policy_test = $4,
               status_policy_live = $5, haip = $6, client_id_prefix = $7, response_mode = $8
             where id = $1 returning id`,
    },
    [
      tenantId,
      settings.retentionDays,
      settings.walletRejectionStatus,
      settings.statusPolicyTest,
      settings.statusPolicyLive,
      settings.haip,
      settings.clientIdPrefix,
      settings.responseMode,
    ],
  )
  return rows.length === 1
}
