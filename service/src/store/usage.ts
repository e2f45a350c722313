// Daily usage: one row a tenant and UTC day.

import type { Usage } from '../domain/quota.ts'
import type { Tx } from './db.ts'

/** Spec 2.5: days with any usage, newest first, at most 30. */
const RECENT_DAYS_MAX = 30

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

export interface Spending {
  readonly day: string
  readonly wanted: number
  readonly quota: number
}

/**
 * Spends as much of the day's quota as is left, at most `wanted`, and says how much that was. The row stays locked until
 * the transaction ends, so whoever comes next counts on from what was really spent; a rollback gives it back.
 */
export async function spendQuota(tx: Tx, tenantId: string, spending: Spending): Promise<number> {
  const granted = await spendFromRow(tx, tenantId, spending)
  if (granted !== null) return granted
  await tx.query(
    {
      name: 'begin_usage_day',
      text: 'insert into usage_days (tenant_id, day, created) values ($1, $2, 0) on conflict do nothing',
    },
    [tenantId, spending.day],
  )
  const second = await spendFromRow(tx, tenantId, spending)
  if (second === null) throw new Error('bug: a day of usage vanished')
  return second
}

/** null when the day has no row yet. */
async function spendFromRow(tx: Tx, tenantId: string, spending: Spending): Promise<number | null> {
  const [row] = await tx.query<{ granted: number }>(
    {
      name: 'spend_quota',
      text: `with before as (select created from usage_days where tenant_id = $1 and day = $2 for update)
             update usage_days u set created = before.created + greatest(0, least($3::int, $4::int - before.created))
             from before where u.tenant_id = $1 and u.day = $2
             returning greatest(0, least($3::int, $4::int - before.created)) as granted`,
    },
    [tenantId, spending.day, spending.wanted, spending.quota],
  )
  return row?.granted ?? null
}
