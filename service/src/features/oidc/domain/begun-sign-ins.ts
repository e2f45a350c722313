// Limits the sign-ins that begin at a client in a day.

import { secondsToMidnight } from '../../../core/quota/domain/quota.ts'

const DAY_MS = 86_400_000

/** The maximum of sign-ins that have begun at a client since midnight. */
export interface BegunSignInBound {
  readonly client: number
  /** Further sign-ins beyond `client`, for networks that are new at the client. */
  readonly reserve: number
  /** What one wide network may begin once half of `client` is spent. */
  readonly neighbours: { readonly perSecond: number; readonly burst: number }
  /** When the client may begin another one after `begun`; at the latest at midnight. */
  readonly secondsUntilAfter: (begun: number) => number
}

/** Most people who begin a sign-in may give up: the quota limits only those who answer. */
const BEGUN_PER_QUOTA = 10
const BEGUN_LEAST = 5_000
const NEIGHBOURS_PART = 32

/**
 * Each sign-in leaves rows that are never deleted, and strangers begin them. A quarter of the day's maximum is there at
 * midnight, the rest is added evenly: so after a flood, people can begin sign-ins again, and not only tomorrow.
 */
export function begunSignInBound(dailyQuota: number, nowMs: number): BegunSignInBound {
  const all = Math.max(BEGUN_LEAST, BEGUN_PER_QUOTA * dailyQuota)
  const perSecond = ((3 / 4) * all * 1000) / DAY_MS
  const atMidnight = all / 4
  const sinceMidnight = (nowMs % DAY_MS) / 1000
  const client = Math.floor(atMidnight + perSecond * sinceMidnight)
  return {
    client,
    reserve: Math.floor(client / 4),
    neighbours: { perSecond: perSecond / NEIGHBOURS_PART, burst: Math.ceil(client / NEIGHBOURS_PART) },
    secondsUntilAfter: (begun) =>
      Math.max(1, Math.min(secondsToMidnight(nowMs), Math.ceil((begun + 1 - atMidnight) / perSecond - sinceMidnight))),
  }
}
