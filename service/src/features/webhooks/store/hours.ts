// Counts attempts by hour and outcome as they end, so that reading the statistics is cheap.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { WebhookHour } from '../domain/health.ts'

/**
 * CTE for a statement that ends attempts: counts the attempts in its CTE `done` that were sent. Writes one row per
 * realm in a fixed order, so that concurrent statements cannot deadlock.
 */
export const hoursCounted = (at: string) => `counted as (
            insert into webhook_hours as h (tenant_id, environment, hour, attempts, delivered, took_ms, slowest_ms)
            select tenant_id, environment, date_trunc('hour', ${at}::timestamptz, 'UTC'), count(*),
                   count(*) filter (where outcome = 'delivered'), sum(took_ms), max(took_ms)
            from done where took_ms is not null group by 1, 2 order by 1, 2
            on conflict (tenant_id, environment, hour) do update set attempts = h.attempts + excluded.attempts,
              delivered = h.delivered + excluded.delivered, took_ms = h.took_ms + excluded.took_ms,
              slowest_ms = greatest(h.slowest_ms, excluded.slowest_ms)
          )`

/** Oldest first. Omits hours without attempts. */
export async function listWebhookHours(tx: Tx, realm: Realm, since: Instant): Promise<WebhookHour[]> {
  return tx.query(
    {
      name: 'list_webhook_hours',
      text: `select hour, attempts, delivered, took_ms as "tookMs", slowest_ms as "slowestMs" from webhook_hours
             where tenant_id = $1 and environment = $2 and hour >= $3 order by hour`,
    },
    [realm.tenantId, realm.environment, since],
  )
}

export async function forgetHoursAcrossTenants(tx: Tx, before: Instant): Promise<void> {
  await tx.query({ name: 'forget_webhook_hours', text: 'delete from webhook_hours where hour < $1' }, [before])
}
