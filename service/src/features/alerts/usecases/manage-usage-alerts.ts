// Reads, sets and removes a merchant's usage alerts, with an audit entry.

import type { AuditActor } from '../../../core/ports/audit.ts'
import { utcDayOf } from '../../../core/quota/domain/quota.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { checkWebhookUrl } from '../../webhooks/index.ts'
import { readThresholds, type UsageAlerts } from '../domain/usage-alerts.ts'
import {
  listSentAlerts,
  loadUsageAlerts,
  removeUsageAlerts,
  type SentAlert,
  saveUsageAlerts,
} from '../store/usage-alerts.ts'

interface UsageAlertsView {
  /** null if alerts are off. */
  readonly alerts: UsageAlerts | null
  /** The alerts of this month. */
  readonly sent: readonly SentAlert[]
}

export async function readUsageAlerts(deps: Pick<Deps, 'db' | 'clock'>, realm: Realm): Promise<UsageAlertsView> {
  const alerts = await loadUsageAlerts(deps.db, realm)
  const sent = await listSentAlerts(deps.db, realm, utcDayOf(deps.clock.now()).slice(0, 7))
  return { alerts, sent }
}

/** null turns alerts off. */
export async function changeUsageAlerts(
  deps: Pick<Deps, 'db' | 'clock' | 'audit' | 'egress'>,
  input: { readonly realm: Realm; readonly actor: AuditActor; readonly alerts: UsageAlerts | null },
): Promise<void> {
  const { realm, actor, alerts } = input
  const thresholds = alerts === null ? [] : readThresholds(alerts.thresholds)
  if (alerts !== null) await checkWebhookUrl(deps, realm, alerts.url)
  const now = instantOf(deps.clock.now())
  await deps.db.transaction(async (tx) => {
    if (alerts === null) {
      if (!(await removeUsageAlerts(tx, realm))) return
    } else {
      await saveUsageAlerts(tx, realm, { url: alerts.url, thresholds, at: now })
    }
    const object = { type: 'usage_alerts', id: realm.environment }
    const events = [
      { action: 'usage_alerts.changed', actor, object, details: { thresholds: thresholds.join(' ') } } as const,
    ]
    await deps.audit.recordAll(tx, realm, { now, events })
  })
}
