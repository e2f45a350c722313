// A merchant's usage alerts: their address, the percentages of the daily quota that trigger them, and their payload.

import { THRESHOLDS_MAX } from '../../../../../wire/values/usage.ts'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Instant } from '../../../platform/world.ts'

export interface UsageAlerts {
  readonly url: string
  /** Percent of the daily quota, ascending. */
  readonly thresholds: readonly number[]
}

/** Returns the context that the address is sealed with. */
export const usageAlertSealContext = (realm: Realm) => `usage_alerts.sealed_url|${realmName(realm)}`

/** Returns distinct percentages in ascending order. */
export function readThresholds(percents: readonly number[]): number[] {
  const thresholds = [...new Set(percents)].sort((a, b) => a - b)
  const isPercent = (one: number) => Number.isInteger(one) && one >= 1 && one <= 100
  if (thresholds.length < 1 || thresholds.length > THRESHOLDS_MAX || !thresholds.every(isPercent)) {
    throw new Refusal('invalid_request', {
      message: `Give one to ${THRESHOLDS_MAX} shares of the daily quota, in whole percent from 1 to 100.`,
    })
  }
  return thresholds
}

/** A quota of zero is never reached. */
export const isReached = (threshold: number, { used, quota }: { used: number; quota: number }) =>
  quota > 0 && used * 100 >= threshold * quota

interface ReachedThreshold {
  readonly environment: string
  readonly threshold: number
  readonly day: string
  readonly used: number
  readonly quota: number
}

/** The type of an event that is signed and sent like a webhook, but has no verification. */
const USAGE_EVENT = 'usage.threshold_reached'

export function renderUsageEvent(reached: ReachedThreshold, sentAt: Instant): string {
  const usage = {
    environment: reached.environment,
    day: reached.day,
    threshold_percent: reached.threshold,
    verifications_created: reached.used,
    daily_quota: reached.quota,
  }
  return JSON.stringify({ type: USAGE_EVENT, usage, sent_at: sentAt })
}
