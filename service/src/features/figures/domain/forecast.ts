// Forecasts the usage of today and this month from the days before. Days are UTC days, like the quota's.

import { utcDayOf } from '../../../core/quota/domain/quota.ts'

const DAY_MS = 86_400_000
/** How many whole days the forecast looks back. */
export const FORECAST_DAYS = 7
/** A first day says nothing about the rest until this share of it has passed. */
const SHARE_MIN = 1 / 24

export interface Forecast {
  /** At the end of today; null: too little data. */
  readonly today: number | null
  /** When today's quota is spent at this pace; null: not today. */
  readonly spentAtMs: number | null
  readonly month: { readonly soFar: number; readonly atEnd: number | null }
}

/** `created`: counts by day, without empty days. It covers this month and the last `FORECAST_DAYS` days. */
export function forecastOf(created: ReadonlyMap<string, number>, quota: number, nowMs: number): Forecast {
  const today = utcDayOf(nowMs)
  const used = created.get(today) ?? 0
  const midnightMs = nowMs - (nowMs % DAY_MS)
  const share = (nowMs - midnightMs) / DAY_MS
  const soFar = sumOf(created, (day) => day.slice(0, 7) === today.slice(0, 7))
  const pace = paceOf(created, { today, midnightMs, share })
  if (pace === null) return { today: null, spentAtMs: null, month: { soFar, atEnd: null } }
  const rest = pace * (1 - share)
  const left = quota - used
  const spentAtMs = left <= 0 ? nowMs : Math.round(nowMs + (left / pace) * DAY_MS)
  const daysAfter = daysInMonth(nowMs) - Number(today.slice(8))
  return {
    today: Math.min(Math.round(used + rest), Math.max(quota, used)),
    spentAtMs: left <= 0 || left <= rest ? spentAtMs : null,
    month: { soFar, atEnd: Math.round(soFar + rest + pace * daysAfter) },
  }
}

/**
 * Verifications per day: the mean of the days since the first one in the window; without any, today's rate. null if
 * there is no data.
 */
function paceOf(
  created: ReadonlyMap<string, number>,
  { today, midnightMs, share }: { today: string; midnightMs: number; share: number },
): number | null {
  const days = Array.from(
    { length: FORECAST_DAYS },
    (_, n) => created.get(utcDayOf(midnightMs - (n + 1) * DAY_MS)) ?? 0,
  )
  const known = days.findLastIndex((count) => count > 0) + 1
  if (known > 0) return days.slice(0, known).reduce((all, count) => all + count, 0) / known
  const used = created.get(today) ?? 0
  return used === 0 || share < SHARE_MIN ? null : used / share
}

function sumOf(created: ReadonlyMap<string, number>, isMeant: (day: string) => boolean): number {
  return [...created].reduce((all, [day, count]) => (isMeant(day) ? all + count : all), 0)
}

function daysInMonth(nowMs: number): number {
  const now = new Date(nowMs)
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0)).getUTCDate()
}
