// The daily quota's calendar: days are UTC days, and a day ends at midnight UTC.

import type { Environment } from '../world.ts'

const DAY_MS = 86_400_000
/** Spec 2.5: days with any usage, newest first, at most so many. */
export const RECENT_DAYS_MAX = 30

/** YYYY-MM-DD of the UTC day an instant belongs to. */
export function utcDayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10)
}

/** Whole seconds until the next UTC midnight, at least 1: who waits that long finds a new day. */
export function secondsToMidnight(nowMs: number): number {
  return Math.max(1, Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000))
}

/**
 * Sign-ins are begun by strangers: those that no client has finished yet may take so large a part of the day, one half in live and
 * one quarter in test, where anybody can finish one and that counts for nothing. What is left is for the tenant's keys and devices.
 */
export const SIGN_IN_PARTS: Readonly<Record<Environment, number>> = { live: 2, test: 4 }

/** Of it one network may have so many at once, and as many more in a day. */
export const signInsOfNetwork = (dailyQuota: number): number => Math.max(10, Math.ceil(dailyQuota / 20))

export interface Usage {
  readonly day: string
  readonly verifications_created: number
  readonly daily_quota: number
  readonly remaining: number
  readonly recent: { day: string; verifications_created: number }[]
}

/** Spec 2.5: never below zero, also when the quota was lowered under what is spent. */
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
