// Webhook statistics per hour: numbers only.

import type { Instant } from '../../../platform/world.ts'

export const HEALTH_HOURS = 24
/** How long the figures of an hour are stored. */
export const HOURS_KEPT_MS = 30 * 86_400_000

export interface WebhookHour {
  readonly hour: Instant
  readonly attempts: number
  readonly delivered: number
  /** Sum over all attempts. */
  readonly tookMs: number
  readonly slowestMs: number
}

export function renderHour(hour: WebhookHour) {
  return {
    hour: hour.hour,
    attempts: hour.attempts,
    delivered: hour.delivered,
    mean_ms: hour.attempts === 0 ? 0 : Math.round(hour.tookMs / hour.attempts),
    slowest_ms: hour.slowestMs,
  }
}
