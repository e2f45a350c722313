// Defines the calendar of the daily quota: days are UTC days, and a day ends at midnight UTC.

import type { Environment } from '../../../platform/world.ts'

const DAY_MS = 86_400_000
/** Spec 2.5: days with any usage, newest first, at most this many. */
export const RECENT_DAYS_MAX = 30

/** YYYY-MM-DD of the UTC day an instant belongs to. */
export function utcDayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10)
}

/** Whole seconds until the next UTC midnight, at least 1: a caller that waits that long gets a new day. */
export function secondsToMidnight(nowMs: number): number {
  return Math.max(1, Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000))
}

/**
 * A sign-in counts when it is answered. In test anyone can answer, so test sign-ins may use only a quarter of the daily
 * quota. In live an answer needs a credential of a trusted issuer.
 */
export const SIGN_IN_PARTS: Readonly<Record<Environment, number>> = { live: 1, test: 4 }

/** The maximum of unanswered sign-ins at the same time, per client and per network. */
interface OpenSignInBound {
  readonly client: number
  /** Further sign-ins beyond `client`: one for each network that has none open. */
  readonly reserve: number
  readonly network: number
}

/** Grows with the tenant's daily quota. Unanswered sign-ins expire after ten minutes. */
export function openSignInBound(dailyQuota: number): OpenSignInBound {
  const client = within(Math.ceil(dailyQuota / 10), 1_000, 5_000)
  return { client, reserve: client / 4, network: within(Math.ceil(dailyQuota / 200), 50, 500) }
}

const within = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

export interface Usage {
  readonly day: string
  readonly verifications_created: number
  readonly daily_quota: number
  readonly remaining: number
  readonly recent: { day: string; verifications_created: number }[]
}

/** Spec 2.5: `remaining` is never below zero, even if the quota was lowered. */
export function usageOf(day: string, dailyQuota: number, recent: Usage['recent']): Usage {
  const created = recent.find((row) => row.day === day)?.verifications_created ?? 0
  return {
    day,
    verifications_created: created,
    daily_quota: dailyQuota,
    remaining: Math.max(0, dailyQuota - created),
    recent,
  }
}
