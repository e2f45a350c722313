// The retry schedule of webhooks.

import type { Environment, Instant, Random } from '../../../platform/world.ts'
import type { ReceiverAnswer } from './answer.ts'

export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'held'

export interface Delivery {
  readonly id: string
  readonly tenantId: string
  readonly environment: Environment
  readonly verificationId: string
  /** The event type, see event.ts. */
  readonly type: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly createdAt: Instant
  /** When the next attempt is due; null: none is. */
  readonly nextAt: Instant | null
}

export interface Attempt {
  readonly trigger: 'schedule' | 'manual'
  readonly startedAt: Instant
  readonly finishedAt: Instant | null
  /** `delivered`, `http_error`, `abandoned`, or the code of a network failure; null while the attempt runs. */
  readonly outcome: string | null
  readonly httpStatus: number | null
  /** When the request was sent, and how long the response took. null: never sent, or sent by an earlier release. */
  readonly sentAt: Instant | null
  readonly tookMs: number | null
}

/** Seconds between the end of the previous attempt and each of the six attempts. */
export const SCHEDULE_SECONDS: readonly number[] = [0, 30, 300, 1_800, 7_200, 64_800]
const JITTER = 0.1
/** The last attempt starts within this time, even if Retry-After asks for more. */
const LIFETIME_MS = 23.5 * 3_600_000
/** After this many workers crashed while they sent a delivery, it fails, because it may be the cause of the crashes. */
export const ABANDONED_MAX = 3

export type AttemptEnd =
  /** `gaveContent`: the payload contained the claims, because they had not been deleted when it was built. */
  | { readonly outcome: 'delivered'; readonly httpStatus: number; readonly gaveContent: boolean }
  | { readonly outcome: 'http_error'; readonly httpStatus: number; readonly retryAfter?: string }
  | { readonly outcome: string; readonly httpStatus: null }

/** Details of a request that was sent, apart from its outcome. */
export interface Exchange {
  readonly sentAt: Instant
  readonly tookMs: number
  readonly answer: ReceiverAnswer | null
}

/** Whether the receiver got the content. */
export const gaveContent = (end: AttemptEnd): boolean => 'gaveContent' in end && end.gaveContent

interface Failing {
  /** Completed attempts, including this one. */
  readonly attempts: number
  readonly createdAtMs: number
  readonly nowMs: number
}

/** Returns when to retry. null: the schedule is over, or the receiver is gone (410). */
export function nextAttemptMs(failing: Failing, end: AttemptEnd, random: Random): number | null {
  const delaySeconds = SCHEDULE_SECONDS[failing.attempts]
  if (delaySeconds === undefined || end.httpStatus === 410) return null
  const { nowMs } = failing
  const planned = delaySeconds * 1000 * (1 + JITTER * (2 * fraction(random) - 1))
  const retryAfter = retryAfterMs(end, nowMs)
  // A receiver can ask for a longer wait than planned, up to twice as long.
  const wait = retryAfter === null ? planned : Math.min(Math.max(planned, retryAfter), delaySeconds * 2000)
  const latest = failing.createdAtMs + LIFETIME_MS
  return Math.max(nowMs, Math.min(nowMs + wait, latest))
}

/** RFC 9110 §10.2.3: seconds or a date. Used for 429 and 503; other values are ignored. */
function retryAfterMs(end: AttemptEnd, nowMs: number): number | null {
  if (end.httpStatus !== 429 && end.httpStatus !== 503) return null
  const text = 'retryAfter' in end ? (end.retryAfter ?? '') : ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}

/** Uniform in [0, 1). */
function fraction(random: Random): number {
  return Buffer.from(random(4)).readUInt32BE() / 2 ** 32
}

/** When all deliveries to a destination have failed for days, it is reported and later disabled, but never deleted. */
const NOTICE_AFTER_MS = 24 * 3_600_000
const DISABLE_AFTER_MS = 5 * 24 * 3_600_000
const DISABLE_FAILURES_MIN = 10

export function breakerStep(
  failing: { sinceMs: number; failures: number; noticed: boolean },
  nowMs: number,
): 'none' | 'notice' | 'disable' {
  const lasted = nowMs - failing.sinceMs
  if (lasted >= DISABLE_AFTER_MS && failing.failures >= DISABLE_FAILURES_MIN) return 'disable'
  return lasted >= NOTICE_AFTER_MS && !failing.noticed ? 'notice' : 'none'
}
