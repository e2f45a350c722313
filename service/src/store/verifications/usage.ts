// Daily usage: one row a tenant and UTC day.

import { RECENT_DAYS_MAX, type Usage } from '../../domain/tenant/quota.ts'
import type { Tx } from '../postgres/db.ts'

/** By day, both ends included; days without any are left out. */
export async function loadUsageBetween(
  tx: Tx,
  tenantId: string,
  span: { readonly from: string; readonly to: string },
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ day: string; created: number }>(
    {
      name: 'load_usage_between',
      text: 'select day, created from usage_days where tenant_id = $1 and day between $2 and $3 and created > 0',
    },
    [tenantId, span.from, span.to],
  )
  return new Map(rows.map(({ day, created }) => [day, created]))
}

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
