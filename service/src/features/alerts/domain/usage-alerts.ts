// Whom a merchant wants told that a day's quota is running out, at which shares of it, and in which words.

import { THRESHOLDS_MAX } from '../../../../../wire/values/usage.ts'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Instant } from '../../../platform/world.ts'

export interface UsageAlerts {
  readonly url: string
  /** Percent of the daily quota, rising. */
  readonly thresholds: readonly number[]
}

/** Where the sealed address belongs. */
export const usageAlertSealContext = (realm: Realm) => `usage_alerts.sealed_url|${realmName(realm)}`

/** Each once, in one order. */
export function readThresholds(given: readonly number[]): number[] {
  const thresholds = [...new Set(given)].sort((a, b) => a - b)
  const isPercent = (one: number) => Number.isInteger(one) && one >= 1 && one <= 100
  if (thresholds.length < 1 || thresholds.length > THRESHOLDS_MAX || !thresholds.every(isPercent)) {
    throw new Refusal('invalid_request', {
      message: `Give one to ${THRESHOLDS_MAX} shares of the daily quota, in whole percent from 1 to 100.`,
    })
  }
  return thresholds
}

/** With a quota of nothing there is nothing to run out. */
export const isReached = (threshold: number, { used, quota }: { used: number; quota: number }) =>
  quota > 0 && used * 100 >= threshold * quota

export interface ReachedThreshold {
  readonly environment: string
  readonly threshold: number
  readonly day: string
  readonly used: number
  readonly quota: number
}

/** Signed and sent like every webhook; of its own type, without a verification. */
export const USAGE_EVENT = 'usage.threshold_reached'

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
