// Daily usage: one row a tenant and UTC day.

import { RECENT_DAYS_MAX, type Usage } from '../../domain/tenant/quota.ts'
import type { Tx } from '../postgres/db.ts'

export async function loadRecentUsage(tx: Tx, tenantId: string, today: string): Promise<Usage['recent']> {
  const rows = await tx.query<{ day: string; created: number }>(
    {
      name: 'load_recent_usage',
      text: `select day, created from usage_days
             where tenant_id = $1 and day <= $2 and created > 0 order by day desc limit ${RECENT_DAYS_MAX}`,
    },
    [tenantId, today],
  )
  return rows.map((row) => ({ day: row.day, verifications_created: row.created }))
}
