// Usage alert settings of tenants, and the alerts that were sent: one per threshold and month.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Plan } from '../../../core/tenants/domain/tenant.ts'
import { isOfServedTenant } from '../../../core/tenants/store/closed.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import { type UsageAlerts, usageAlertSealContext } from '../domain/usage-alerts.ts'

export async function loadUsageAlerts(tx: Tx, realm: Realm): Promise<UsageAlerts | null> {
  const [row] = await tx.query<{ sealedUrl: Buffer; thresholds: number[] }>(
    {
      name: 'load_usage_alerts',
      text: `select sealed_url as "sealedUrl", thresholds from usage_alerts where tenant_id = $1 and environment = $2`,
    },
    [realm.tenantId, realm.environment],
  )
  return row === undefined ? null : { url: openUrl(tx, realm, row.sealedUrl), thresholds: row.thresholds }
}

const openUrl = ({ sealer }: Sealing, realm: Realm, sealed: Uint8Array) =>
  sealer.open(sealed, usageAlertSealContext(realm)).toString('utf8')

export async function saveUsageAlerts(
  tx: Tx,
  realm: Realm,
  saved: UsageAlerts & { readonly at: Instant },
): Promise<void> {
  const sealedUrl = tx.sealer.seal(Buffer.from(saved.url, 'utf8'), usageAlertSealContext(realm))
  await tx.query(
    {
      name: 'save_usage_alerts',
      text: `insert into usage_alerts (tenant_id, environment, sealed_url, thresholds, changed_at) values ($1, $2, $3, $4, $5)
             on conflict (tenant_id, environment) do update
             set sealed_url = excluded.sealed_url, thresholds = excluded.thresholds, changed_at = excluded.changed_at`,
    },
    [realm.tenantId, realm.environment, sealedUrl, saved.thresholds, saved.at],
  )
}

/** Also deletes alerts that were not sent yet. Returns false if there was nothing to remove. */
export async function removeUsageAlerts(tx: Tx, realm: Realm): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'remove_usage_alerts',
      text: `with given_up as (update usage_alerts_told set next_at = null, outcome = 'removed'
                               where tenant_id = $1 and environment = $2 and next_at is not null)
             delete from usage_alerts where tenant_id = $1 and environment = $2 returning 1`,
    },
    [realm.tenantId, realm.environment],
  )
  return rows.length > 0
}

export interface WatchedUsage extends Realm {
  readonly thresholds: readonly number[]
  readonly used: number
  readonly plan: Plan
  readonly dailyQuota: number | null
}

/** Lists realms with alerts whose tenant has usage that day, with the thresholds not yet alerted that month. */
export async function findWatchedUsageAcrossTenants(
  tx: Tx,
  period: { readonly day: string; readonly month: string },
): Promise<WatchedUsage[]> {
  return tx.query<WatchedUsage>(
    {
      name: 'find_watched_usage',
      text: `select a.tenant_id as "tenantId", a.environment, u.created as used, t.plan, t.daily_quota as "dailyQuota",
               array(select percent from unnest(a.thresholds) as percent where not exists (
                 select from usage_alerts_told d where d.tenant_id = a.tenant_id and d.environment = a.environment
                   and d.month = $2 and d.threshold = percent) order by percent) as thresholds
             from usage_alerts a
             join usage_days u on u.tenant_id = a.tenant_id and u.day = $1
             join tenants t on t.id = a.tenant_id
             where u.created > 0 and ${isOfServedTenant('a')} order by a.tenant_id, a.environment`,
    },
    [period.day, period.month],
  )
}

interface NewAlert {
  readonly id: string
  readonly month: string
  readonly threshold: number
  readonly day: string
  readonly used: number
  readonly quota: number
  readonly at: Instant
}

/** Inserts an alert that is due immediately. Returns false if another process inserted it before. */
export async function insertAlert(tx: Tx, realm: Realm, alert: NewAlert): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'insert_usage_alert',
      text: `insert into usage_alerts_told (tenant_id, environment, month, threshold, id, day, used, quota, noticed_at, next_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
             on conflict (tenant_id, environment, month, threshold) do nothing returning 1`,
    },
    [
      realm.tenantId,
      realm.environment,
      alert.month,
      alert.threshold,
      alert.id,
      alert.day,
      alert.used,
      alert.quota,
      alert.at,
    ],
  )
  return rows.length > 0
}

export interface DueAlert extends Realm {
  readonly id: string
  readonly threshold: number
  readonly day: string
  readonly used: number
  readonly quota: number
  readonly noticedAt: Instant
  /** The number of attempts, including this one. */
  readonly attempts: number
  /** Decrypted when it is sent, so that an address that cannot be decrypted does not block other alerts. */
  readonly sealedUrl: Buffer
}

export const openAlertUrl = (tx: Sealing, alert: DueAlert): string => openUrl(tx, alert, alert.sealedUrl)

/** Records the attempt before it is made. If the worker dies, another one retries when the lease expires. */
export async function leaseDueAlerts(
  tx: Tx,
  lease: { readonly now: Instant; readonly leaseUntil: Instant; readonly rowsMax: number },
): Promise<DueAlert[]> {
  return tx.query<DueAlert>(
    {
      name: 'lease_due_usage_alerts',
      text: `with due as (
               select due.tenant_id, due.id from usage_alerts_told due
               where due.next_at <= $1 and ${isOfServedTenant('due')}
               order by due.next_at limit $3 for update skip locked)
             update usage_alerts_told d set attempts = d.attempts + 1, next_at = $2
             from usage_alerts a, due
             where a.tenant_id = d.tenant_id and a.environment = d.environment and d.tenant_id = due.tenant_id and d.id = due.id
             returning d.tenant_id as "tenantId", d.environment, d.id, d.threshold, d.day, d.used, d.quota,
               d.noticed_at as "noticedAt", d.attempts, a.sealed_url as "sealedUrl"`,
    },
    [lease.now, lease.leaseUntil, lease.rowsMax],
  )
}

export async function endAlertAttempt(
  tx: Tx,
  ended: {
    readonly tenantId: string
    readonly id: string
    readonly outcome: string
    readonly nextAt: Instant | null
  },
): Promise<void> {
  await tx.query(
    {
      name: 'end_usage_alert_attempt',
      text: `update usage_alerts_told set outcome = $3, next_at = $4
             where tenant_id = $1 and id = $2 and next_at is not null`,
    },
    [ended.tenantId, ended.id, ended.outcome, ended.nextAt],
  )
}

export interface SentAlert {
  readonly threshold: number
  readonly day: string
  readonly noticedAt: Instant
  readonly outcome: string | null
}

/** Lists the alerts of one month, highest threshold first. */
export async function listSentAlerts(tx: Tx, realm: Realm, month: string): Promise<SentAlert[]> {
  return tx.query<SentAlert>(
    {
      name: 'list_told_usage_alerts',
      text: `select threshold, day, noticed_at as "noticedAt", outcome from usage_alerts_told
             where tenant_id = $1 and environment = $2 and month = $3 order by threshold desc`,
    },
    [realm.tenantId, realm.environment, month],
  )
}

export async function deleteSentBeforeOfAllTenants(tx: Tx, month: string): Promise<void> {
  await tx.query({ name: 'delete_old_usage_alerts', text: 'delete from usage_alerts_told where month < $1' }, [month])
}
