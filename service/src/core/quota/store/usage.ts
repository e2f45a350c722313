// Stores the daily usage: one row per tenant and UTC day.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { PLANS } from '../../tenants/domain/tenant.ts'
import { RECENT_DAYS_MAX, SIGN_IN_PARTS, type Usage } from '../domain/quota.ts'

/** By day, both ends included; days without usage are left out. */
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

/**
 * Counts an answered sign-in against the day's quota; in test, only up to a quarter of it. Sign-ins with a `share_day`
 * were counted at their start by the previous release.
 */
export async function chargeAnsweredSignIn(
  tx: Tx,
  { tenantId, environment, id }: Realm & { readonly id: string },
  day: string,
): Promise<void> {
  await tx.query(
    {
      name: 'charge_answered_sign_in',
      text: `with terms as (
               select (coalesce(t.daily_quota, ($5::json ->> t.plan)::int) + $6::int - 1) / $6::int as part
               from tenants t where t.id = $1)
             insert into usage_days as u (tenant_id, day, created, test_sign_ins)
             select $1, $2::date, 1, case $3::text when 'test' then 1 else 0 end from terms
             where not exists (select from oidc_authorizations where verification_id = $4 and tenant_id = $1 and share_day is not null)
             on conflict (tenant_id, day) do update
             set created = u.created + case when $3::text = 'test' and u.test_sign_ins >= (select part from terms) then 0 else 1 end,
                 test_sign_ins = u.test_sign_ins + excluded.test_sign_ins`,
    },
    [tenantId, day, environment, id, JSON.stringify(PLANS), SIGN_IN_PARTS[environment]],
  )
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
