// Statistics of how verifications ended, without personal data: what one ending adds, and how to read the sums.

import { type Instant, instantOf, millisecondsOf } from '../../../platform/world.ts'

export type CountedOutcome = 'completed' | 'failed' | 'expired'
export type CountKind = 'all' | 'template' | 'reason' | 'channel' | 'device' | 'key' | 'wait'
export type Step = 'hour' | 'day'

export interface Count {
  readonly step: Step
  readonly kind: CountKind
  readonly start: Instant
  readonly name: string
  readonly outcome: CountedOutcome
  readonly count: number
}

/** A verification that has ended, or expired without an answer. */
export interface Ended {
  readonly outcome: CountedOutcome
  /** null if it was created with a query. */
  readonly template: string | null
  readonly createdAt: Instant
  readonly actorType: string
  readonly actorId: string
  /** The answer; null if there was none. */
  readonly answer: { readonly channel: string; readonly errorCode: string | null; readonly at: Instant } | null
}

const HOUR_MS = 3_600_000
const STEPS: readonly (readonly [Step, number])[] = [
  ['hour', HOUR_MS],
  ['day', 24 * HOUR_MS],
]
/** Daily counts are kept for 13 months, so that years can be compared. Hourly counts are shown for two days. */
export const COUNTS_KEPT_MS: Readonly<Record<Step, number>> = { day: 400 * 24 * HOUR_MS, hour: 4 * 24 * HOUR_MS }

/** For staff and sign-ins, only the kind of actor is counted. */
export const CREATED_BY_STAFF = 'staff' as const
export const CREATED_BY_SIGN_IN = 'openid' as const

/**
 * Sums of the endings, sorted so that all writers lock the rows in the same order. An ending counts in the hour and day
 * of the verification's creation, as lists show it.
 */
export function countsOf(ended: readonly Ended[]): Count[] {
  const sums = new Map<string, Count>()
  for (const one of ended) {
    const createdMs = millisecondsOf(one.createdAt)
    const names = namesOf(one)
    for (const [step, stepMs] of STEPS) {
      const start = instantOf(Math.floor(createdMs / stepMs) * stepMs)
      for (const [kind, name] of names) {
        const key = `${step} ${kind} ${start} ${one.outcome} ${name}`
        sums.set(key, { step, kind, start, name, outcome: one.outcome, count: (sums.get(key)?.count ?? 0) + 1 })
      }
    }
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
}

function namesOf({ template, actorType, actorId, answer, createdAt }: Ended): [CountKind, string][] {
  const names: [CountKind, string][] = [['all', ''], ['template', template ?? ''], askerOf(actorType, actorId)]
  if (answer === null) return names
  const waitedMs = millisecondsOf(answer.at) - millisecondsOf(createdAt)
  names.push(['channel', answer.channel], ['wait', String(bucketOf(waitedMs))])
  if (answer.errorCode !== null) names.push(['reason', answer.errorCode])
  return names
}

function askerOf(actorType: string, actorId: string): [CountKind, string] {
  if (actorType === 'device') return ['device', actorId]
  if (actorType === 'api_key') return ['key', actorId]
  return ['key', actorType === 'oidc_client' ? CREATED_BY_SIGN_IN : CREATED_BY_STAFF]
}

/**
 * Two buckets per doubling, from a second to more than the longest lifetime. A duration read from them is accurate to a
 * fifth.
 */
const BUCKETS_PER_DOUBLING = 2
const BUCKET_MAX = 24

export function bucketOf(milliseconds: number): number {
  const steps = Math.ceil(BUCKETS_PER_DOUBLING * Math.log2(Math.max(1, milliseconds / 1000)))
  return Math.min(BUCKET_MAX, steps)
}

/** Returns the middle of the bucket that reaches this share of all values; null if there are none. */
export function quantileOf(buckets: ReadonlyMap<number, number>, share: number): number | null {
  const all = [...buckets].sort(([a], [b]) => a - b)
  const total = all.reduce((sum, [, count]) => sum + count, 0)
  let passed = 0
  for (const [bucket, count] of all) {
    passed += count
    if (passed >= total * share) return Math.round(1000 * 2 ** ((bucket - 0.5) / BUCKETS_PER_DOUBLING))
  }
  return null
}
