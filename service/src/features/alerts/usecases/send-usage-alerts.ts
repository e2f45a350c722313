// Sends usage alerts, one per threshold and month, with the retries of webhooks.

import { utcDayOf } from '../../../core/quota/domain/quota.ts'
import { dailyQuotaOf } from '../../../core/tenants/domain/tenant.ts'
import type { Deps } from '../../../deps.ts'
import { newDeliveryId } from '../../../platform/ids.ts'
import { instantOf, millisecondsOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { nextAttemptMs, sendSigned, signingSecrets } from '../../webhooks/index.ts'
import { isReached, renderUsageEvent } from '../domain/usage-alerts.ts'
import {
  type DueAlert,
  deleteSentBeforeOfAllTenants,
  endAlertAttempt,
  findWatchedUsageAcrossTenants,
  insertAlert,
  leaseDueAlerts,
  openAlertUrl,
  type WatchedUsage,
} from '../store/usage-alerts.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'audit' | 'egress' | 'log'>

/** How many alerts are sent in parallel. Further alerts wait for the next run. */
const AT_ONCE = 32
/** Longer than the longest attempt. */
const LEASE_MS = 60_000
/** How many months are kept in addition to this one. */
const MONTHS_KEPT = 12

export async function sendUsageAlerts(
  deps: Needs,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<{ readonly noticed: number; readonly sent: number }> {
  const nowMs = deps.clock.now()
  const day = utcDayOf(nowMs)
  let noticed = 0
  for (const watched of await findWatchedUsageAcrossTenants(deps.db, { day, month: day.slice(0, 7) })) {
    stopped.throwIfAborted()
    noticed += await notice(deps, watched, day)
  }
  stopped.throwIfAborted()
  const lease = { now: instantOf(nowMs), leaseUntil: instantOf(nowMs + LEASE_MS), rowsMax: AT_ONCE }
  const due = await leaseDueAlerts(deps.db, lease)
  await Promise.all(due.map((alert) => sendAlone(deps, alert, stopped)))
  await deleteSentBeforeOfAllTenants(deps.db, monthBefore(nowMs, MONTHS_KEPT))
  return { noticed, sent: due.length }
}

async function notice(deps: Needs, watched: WatchedUsage, day: string): Promise<number> {
  const { tenantId, environment, used } = watched
  const realm = { tenantId, environment }
  const quota = dailyQuotaOf(watched)
  const reached = watched.thresholds.filter((one) => isReached(one, { used, quota }))
  if (reached.length === 0) return 0
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    const inserted: number[] = []
    for (const threshold of reached) {
      const alert = { id: newDeliveryId(deps.random), month: day.slice(0, 7), threshold, day, used, quota, at: now }
      if (await insertAlert(tx, realm, alert)) inserted.push(threshold)
    }
    const events = inserted.map((threshold) => ({
      action: 'usage.threshold_reached' as const,
      actor: { type: 'system' as const, id: 'usage' },
      object: { type: 'usage_alerts', id: environment },
      details: { threshold: String(threshold) },
    }))
    if (inserted.length > 0) await deps.audit.recordAll(tx, realm, { now, events })
    return inserted.length
  })
}

/** An error of one alert must not stop the others. */
async function sendAlone(deps: Needs, alert: DueAlert, stopped: AbortSignal): Promise<void> {
  try {
    await send(deps, alert)
  } catch (error) {
    // The alert is leased: it is retried when the lease expires.
    stopped.throwIfAborted()
    deps.log.fault('a usage alert could not be sent', error, { tenant: alert.tenantId })
  }
}

async function send(deps: Needs, alert: DueAlert): Promise<void> {
  const { id, tenantId, environment } = alert
  const realm = { tenantId, environment }
  const { end } = await sendSigned(deps, {
    environment,
    deliveryId: id,
    url: openAlertUrl(deps.db, alert),
    secrets: await signingSecrets(deps, realm),
    receiptSalt: null,
    gaveContent: false,
    isForMerchantAlone: false,
    body: Buffer.from(renderUsageEvent(alert, instantOf(deps.clock.now())), 'utf8'),
  })
  const failing = {
    attempts: alert.attempts,
    createdAtMs: millisecondsOf(alert.noticedAt),
    nowMs: deps.clock.now(),
  }
  const nextMs = end.outcome === 'delivered' ? null : nextAttemptMs(failing, end, deps.random)
  const nextAt = nextMs === null ? null : instantOf(nextMs)
  await endAlertAttempt(deps.db, { tenantId, id, outcome: end.outcome, nextAt })
}

/** Returns YYYY-MM. */
function monthBefore(nowMs: number, months: number): string {
  const now = new Date(nowMs)
  return utcDayOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).slice(0, 7)
}
