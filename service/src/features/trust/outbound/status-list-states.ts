// Tracks what is known about the list at each address, and answers lookups from it. Fetches nothing.

import type { FetchedList, StatusAnswer } from '@vidimus/engine'
import type { ReadContent } from './list-reader.ts'
import { createMemory, type Kept, type Memory } from './status-list-memory.ts'

const TTL_MS = { default: 300_000, least: 60_000, most: 86_400_000 } as const
/** How long an expired list may still be used while its host fails. */
const STALE_MS_MAX = 3_600_000
/** After a failure or an unverified list, the host is not asked again for this time, so that lookups need not wait for it. */
const PAUSE_MS = 10_000
const FAILURES_MAX = 10_000

/**
 * The lists by name: an address in one environment, read as one kind of list. A name can have, at the same time:
 *
 *   unverified list  fetched, and not verified yet. The host is not asked again for 10 s
 *   good list        verified by a caller. Fresh for the time that the list says (1 minute to 1 day), then usable for an hour
 *   replaced list    was the good list before. Usable as long as a good list
 *   failure          the last fetch returned nothing that is a readable list. The host is not asked again for 10 s
 *
 * A lookup takes the first state that applies, and returns:
 *
 *   good             the good list is fresh: that list and the replaced one
 *   unverified       there is an unverified list: that list, the good one and the replaced one; the good one first if it
 *                    is newer
 *   fetching         a fetch is in progress: its result
 *   failing          the last fetch failed less than 10 s ago: the good list while usable, marked stale; otherwise unavailable
 *   unknown          none of these: fetches and reads the list, which is then unverified or failing
 *
 * A caller that verifies an unverified list calls `markVerified`. The list becomes the good list, and the good one becomes the
 * replaced one, unless a replaced list is still usable. So a list that fails verification displaces no verified list.
 */
export interface Known<Fetch> {
  readonly good: Memory
  readonly unverified: Memory
  readonly replaced: Memory
  readonly fetching: Map<string, Fetch>
  /** The time until which the host is not asked again. */
  readonly failing: Map<string, number>
}

/** A tenant's lookup of one address. */
export interface Lookup {
  readonly name: string
  /** The tenant; null: the operator. */
  readonly owner: string | null
  readonly nowMs: number
}

export function createKnown<Fetch>(memory: { readonly good: number; readonly unverified: number }): Known<Fetch> {
  return {
    good: createMemory(memory.good),
    unverified: createMemory(memory.unverified),
    replaced: createMemory(memory.unverified),
    fetching: new Map(),
    failing: new Map(),
  }
}

/** `fetchedAtMs` is for the metric only: another tenant may have caused the fetch, so no tenant may learn when it was. */
export type ListAnswer = StatusAnswer & { readonly fetchedAtMs?: number }

type Lists = Pick<Known<unknown>, 'good' | 'unverified' | 'replaced'>

type State<Fetch> =
  | { readonly state: 'good' | 'unverified'; readonly list: Kept }
  | { readonly state: 'fetching'; readonly shared: Fetch }
  | { readonly state: 'failing' | 'unknown' }

export function stateOf<Fetch>(known: Known<Fetch>, { name, owner, nowMs }: Lookup): State<Fetch> {
  const good = known.good.get(name, owner)
  if (good !== undefined && nowMs < good.freshUntilMs) return { state: 'good', list: good }
  const unverified = known.unverified.get(name, owner)
  if (unverified !== undefined && nowMs < unverified.retryAtMs) return { state: 'unverified', list: unverified }
  const shared = known.fetching.get(name)
  if (shared !== undefined) return { state: 'fetching', shared }
  return { state: nowMs < (known.failing.get(name) ?? 0) ? 'failing' : 'unknown' }
}

export function answerGood(known: Lists, lookup: Lookup, list: Kept): ListAnswer {
  return answer(list, { stale: false, before: [usable(known.replaced, lookup)] })
}

/**
 * The answer contains a callback that marks the list as verified. If the good list is newer, it comes first, because
 * the host has a stale cache or hides revocations. The fetched list counts for callers who cannot verify the good one:
 * another party may have signed that.
 */
export function answerUnverified(known: Lists, lookup: Lookup, list: Kept): ListAnswer {
  const { name, owner, nowMs } = lookup
  const good = usable(known.good, lookup)
  const replaced = usable(known.replaced, lookup)
  const markVerified = () => {
    // A newer list was fetched in the meantime.
    if (known.unverified.get(name, owner) !== list) return
    // Other tenants may not trust the new list. They can use the replaced one until it expires.
    if (good !== null && good.bytes !== list.bytes && replaced === null) known.replaced.set(name, good, owner)
    known.good.set(name, list, owner)
  }
  if (good !== null && isOlder(list, good)) {
    // Never takes the place of the newer one: callers that can verify that would lose its revocations.
    const keepServed = () => undefined
    // Stays usable, but not fresh: the host is asked again.
    const keepGood = () => {
      if (known.good.get(name, owner) === good)
        known.good.set(name, { ...good, usableUntilMs: freshUntil(good.lifetime, nowMs) + STALE_MS_MAX }, owner)
    }
    const { earlier = [], ...newer } = answer(good, { stale: false, before: [replaced] })
    return { ...newer, earlier: [{ ...fetchedOf(list), markVerified: keepServed }, ...earlier], markVerified: keepGood }
  }
  return { ...answer(list, { stale: false, before: [good, replaced] }), markVerified }
}

export function answerOfFailing(known: Lists, lookup: Lookup): ListAnswer {
  const good = usable(known.good, lookup)
  if (good === null) return { outcome: 'unavailable', reason: 'the status could not be fetched' }
  return answer(good, { stale: true, before: [usable(known.replaced, lookup)] })
}

/** Answers as if the host were unavailable: whatever the last good list revoked remains revoked. */
export function answerOverBudget(known: Lists, lookup: Lookup): ListAnswer {
  const found = answerOfFailing(known, lookup)
  if (found.outcome === 'fetched') return found
  return { outcome: 'unavailable', reason: 'too many or too long lists in a minute', overBudget: 'tenant' }
}

/** Does not fall back to an older list, because the presenter chooses the number and length of the lists that a response names. */
export const OVER_BUDGET_OF_RESPONSE: ListAnswer = {
  outcome: 'unavailable',
  reason: 'too many or too long lists in a response',
  overBudget: 'response',
}

/** State change: from unknown to failing. */
export function noteFailing(known: Pick<Known<unknown>, 'failing'>, { name, nowMs }: Lookup): void {
  if (known.failing.size >= FAILURES_MAX) known.failing.clear()
  known.failing.set(name, nowMs + PAUSE_MS)
}

/** State change: from unknown to unverified. */
export function noteFetched(known: Known<unknown>, lookup: Lookup, read: ReadList): ListAnswer {
  known.failing.delete(lookup.name)
  const list = keptOf(read, usable(known.good, lookup), lookup.nowMs)
  known.unverified.set(lookup.name, list, lookup.owner)
  return answerUnverified(known, lookup, list)
}

function answer(
  list: Kept,
  { stale, before }: { stale: boolean; before: readonly (Kept | null)[] },
): Extract<ListAnswer, { outcome: 'fetched' }> {
  const earlier = before.filter((one) => one !== null).filter(({ bytes }) => bytes !== list.bytes)
  const { fetchedAtMs } = list
  return { outcome: 'fetched', ...fetchedOf(list), stale, earlier: earlier.map(fetchedOf), fetchedAtMs }
}

const fetchedOf = ({ bytes, contentType, content }: Kept): FetchedList => ({ bytes, contentType, content })

/** Returns null if the list is too old to be used, even while its host is unavailable. */
function usable(memory: Memory, { name, owner, nowMs }: Lookup): Kept | null {
  const kept = memory.get(name, owner)
  return kept !== undefined && nowMs < kept.usableUntilMs ? kept : null
}

type ReadList = ReadContent & Pick<Kept, 'contentType'>

/** Returns the last good list, fresh again, if the host serves the same. */
function keptOf({ bytes, contentType, content, memory, lifetime }: ReadList, last: Kept | null, nowMs: number): Kept {
  const retryAtMs = nowMs + PAUSE_MS
  const isSame = last !== null && content.sha256 === last.content.sha256
  const list = isSame ? last : { bytes, contentType, content, memory, lifetime, fetchedAtMs: nowMs }
  const freshUntilMs = freshUntil(list.lifetime, nowMs)
  return { ...list, freshUntilMs, usableUntilMs: freshUntilMs + STALE_MS_MAX, retryAtMs }
}

function isOlder({ lifetime: { issuedAt } }: Kept, { lifetime: { issuedAt: other } }: Kept): boolean {
  return issuedAt !== null && other !== null && issuedAt < other
}

/** Token Status List §13.7: uses the token's own lifetime instead of HTTP's, within limits, and never past its expiry. */
function freshUntil({ ttlSeconds, expiresAt }: ReadContent['lifetime'], nowMs: number): number {
  const wanted = ttlSeconds === null ? TTL_MS.default : ttlSeconds * 1000
  const ttlMs = Math.min(Math.max(wanted, TTL_MS.least), TTL_MS.most)
  return Math.min(nowMs + ttlMs, expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt * 1000)
}
