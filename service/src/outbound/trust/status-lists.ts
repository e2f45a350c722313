// Status lists and revocation lists, fetched once for everybody. What they mean is the engine's business.
//
// Of one address, in one environment and as one kind, there may be at a time
//
//   an unverified one fetched, and nobody has verified it yet; for 10 s it is not fetched again
//   a good list       verified by somebody; fresh as long as it says (1 minute to 1 day), usable for an hour after that
//   a replaced list   was good before the good one; usable just as long
//   a failure         the last fetch brought no list; for 10 s its host is left alone
//
// A question finds the first of these states, and is answered:
//
//   good       a good list is fresh           it; beside it the replaced one
//   unverified one of these is open           it; beside it the good one and the replaced one
//   fetching   somebody asked before          what that fetch comes to
//   failing    a failure is not over          the good one while it is usable, marked stale; otherwise: unavailable
//   unknown    none of these                  it is fetched, and then unverified, or failing
//
// Who verifies an unverified list calls `rely`: it becomes good, and what was good the replaced one, unless there is one that is
// still usable. So a list that nobody can verify displaces none that somebody could; and who does not trust the newest
// list finds beside it the ones before.

import type { FetchedList, StatusAnswer, StatusSource } from '@vidimus/engine'
import type { Environment } from '../../domain/world.ts'
import type { Egress } from '../egress/client.ts'
import { downloadStatusList, type Served } from './download-status-list.ts'
import { type Bounds, createMemory, type Kept, type Memory } from './status-list-memory.ts'

export interface StatusLists {
  find(question: StatusQuestion): Promise<StatusAnswer>
}

export interface StatusQuestion {
  readonly source: StatusSource
  readonly environment: Environment
  readonly nowMs: number
  /** How long the list says it may be kept (seconds), and when it ends (unix seconds); null where it does not say. */
  readonly lifetimeOf: (bytes: Uint8Array, kind: StatusSource['kind']) => Lifetime
}

export interface Lifetime {
  readonly ttlSeconds: number | null
  readonly expiresAt: number | null
  /** When the list says it was made (unix seconds); null where it does not, or not cheaply. */
  readonly issuedAt: number | null
}

/** A list the service serves itself, without the network; null for every other address. */
export type OwnLists = (
  source: StatusSource,
  environment: Environment,
  nowMs: number,
) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string } | null>

const TTL_MS = { unsaid: 300_000, least: 60_000, most: 86_400_000 } as const
/** How long past its time a list still answers while its host does not. */
const STALE_MS_MAX = 3_600_000
/** How long a host that failed, or served what nobody has verified, is left alone: presentations must not queue up behind it. */
const PAUSE_MS = 10_000
const FAILURES_MAX = 10_000

/** Of good lists; and of unverified and of replaced ones each: these take no slot of the good. */
export interface MemoryBounds {
  readonly good: Bounds
  readonly unverified: Bounds
}

const BOUNDS: MemoryBounds = {
  good: { lists: 10_000, bytes: 64_000_000 },
  unverified: { lists: 1_000, bytes: 32_000_000 },
}

/** By name of an address, see `nameOf`. */
interface Known {
  readonly good: Memory
  readonly unverified: Memory
  readonly replaced: Memory
  readonly fetching: Map<string, Promise<StatusAnswer>>
  /** Until when. */
  readonly failing: Map<string, number>
}

export function createStatusLists(
  egress: Readonly<Record<Environment, Egress>>,
  own: OwnLists,
  bounds: MemoryBounds = BOUNDS,
): StatusLists {
  const known: Known = {
    good: createMemory(bounds.good),
    unverified: createMemory(bounds.unverified),
    replaced: createMemory(bounds.unverified),
    fetching: new Map(),
    failing: new Map(),
  }
  return {
    async find(question) {
      const { source, environment, nowMs } = question
      const ours = await own(source, environment, nowMs)
      if (ours !== null) return { outcome: 'fetched', ...ours, stale: false, fetchedAt: Math.floor(nowMs / 1000) }
      const name = nameOf(question)
      const found = stateOf(known, name, nowMs)
      switch (found.state) {
        case 'good':
          return answer(found.list, { stale: false, before: [usable(known.replaced, name, nowMs)] })
        case 'unverified':
          return answerUnverified(known, name, { list: found.list, nowMs })
        case 'fetching':
          return found.answer
        case 'failing':
          return answerOfFailing(known, name, nowMs)
        case 'unknown': {
          const fetching = fetchList(known, egress[environment], question).finally(() => known.fetching.delete(name))
          known.fetching.set(name, fetching)
          return fetching
        }
      }
    },
  }
}

const nameOf = ({ environment, source }: StatusQuestion) => `${environment} ${source.kind} ${source.uri}`

type State =
  | { readonly state: 'good' | 'unverified'; readonly list: Kept }
  | { readonly state: 'fetching'; readonly answer: Promise<StatusAnswer> }
  | { readonly state: 'failing' | 'unknown' }

function stateOf(known: Known, name: string, nowMs: number): State {
  const good = known.good.get(name)
  if (good !== undefined && nowMs < good.freshUntilMs) return { state: 'good', list: good }
  const unverified = known.unverified.get(name)
  if (unverified !== undefined && nowMs < unverified.retryAtMs) return { state: 'unverified', list: unverified }
  const fetching = known.fetching.get(name)
  if (fetching !== undefined) return { state: 'fetching', answer: fetching }
  return { state: nowMs < (known.failing.get(name) ?? 0) ? 'failing' : 'unknown' }
}

/** unknown → unverified, or failing. */
async function fetchList(known: Known, egress: Egress, question: StatusQuestion): Promise<StatusAnswer> {
  const { nowMs } = question
  const name = nameOf(question)
  const served = await downloadStatusList(egress, question.source)
  if (served === null) {
    if (known.failing.size >= FAILURES_MAX) known.failing.clear()
    known.failing.set(name, nowMs + PAUSE_MS)
    return answerOfFailing(known, name, nowMs)
  }
  known.failing.delete(name)
  const list = newest(question, served, usable(known.good, name, nowMs))
  known.unverified.set(name, list)
  return answerUnverified(known, name, { list, nowMs })
}

/** With it goes how to make it good. */
function answerUnverified(known: Known, name: string, { list, nowMs }: { list: Kept; nowMs: number }): StatusAnswer {
  const good = usable(known.good, name, nowMs)
  const replaced = usable(known.replaced, name, nowMs)
  const rely = () => {
    // Another one was fetched since.
    if (known.unverified.get(name) !== list) return
    // Somebody's trust is not everybody's: for the others the one before stands until it is out of use.
    if (good !== null && good.bytes !== list.bytes && replaced === null) known.replaced.set(name, good)
    known.good.set(name, list)
  }
  return { ...answer(list, { stale: false, before: [good, replaced] }), rely }
}

function answerOfFailing(known: Known, name: string, nowMs: number): StatusAnswer {
  const good = usable(known.good, name, nowMs)
  if (good === null) return { outcome: 'unavailable', reason: 'the status could not be fetched' }
  return answer(good, { stale: true, before: [usable(known.replaced, name, nowMs)] })
}

function answer(
  list: Kept,
  { stale, before }: { stale: boolean; before: readonly (Kept | null)[] },
): Extract<StatusAnswer, { outcome: 'fetched' }> {
  const earlier = before.filter((one) => one !== null).filter(({ bytes }) => bytes !== list.bytes)
  return { outcome: 'fetched', ...fetchedOf(list), stale, earlier: earlier.map(fetchedOf) }
}

const fetchedOf = ({ bytes, contentType, fetchedAtMs }: Kept): FetchedList => ({
  bytes,
  contentType,
  fetchedAt: Math.floor(fetchedAtMs / 1000),
})

/** Until it is too old even for a host that is away. */
function usable(memory: Memory, name: string, nowMs: number): Kept | null {
  const kept = memory.get(name)
  return kept !== undefined && nowMs < kept.freshUntilMs + STALE_MS_MAX ? kept : null
}

/**
 * A host that serves an older list than before is a cache that lags behind, or somebody who brings back what was revoked
 * since: it counts as having served the last good one again.
 */
function newest({ source, nowMs, lifetimeOf }: StatusQuestion, served: Served, last: Kept | null): Kept {
  const retryAtMs = nowMs + PAUSE_MS
  const lifetime = lifetimeOf(served.bytes, source.kind)
  const { issuedAt } = lifetime
  if (last !== null && (isOlder(issuedAt, last.issuedAt) || Buffer.compare(served.bytes, last.bytes) === 0)) {
    return { ...last, freshUntilMs: freshUntil(lifetimeOf(last.bytes, source.kind), nowMs), retryAtMs }
  }
  return { ...served, issuedAt, fetchedAtMs: nowMs, freshUntilMs: freshUntil(lifetime, nowMs), retryAtMs }
}

function isOlder(issuedAt: number | null, other: number | null): boolean {
  return issuedAt !== null && other !== null && issuedAt < other
}

/** Token Status List §13.7: the token's own word counts, not HTTP's; within bounds, and never past its end. */
function freshUntil({ ttlSeconds, expiresAt }: Lifetime, nowMs: number): number {
  const wanted = ttlSeconds === null ? TTL_MS.unsaid : ttlSeconds * 1000
  const ttlMs = Math.min(Math.max(wanted, TTL_MS.least), TTL_MS.most)
  return Math.min(nowMs + ttlMs, expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt * 1000)
}
