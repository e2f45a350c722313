// Fetches status lists and revocation lists, once for everybody: guarded, remembered as long as they say, and for a
// bounded while longer when their host is away. What they mean is the engine's business.

import type { StatusAnswer, StatusSource } from '@vidimus/engine'
import type { Environment } from '../../domain/world.ts'
import { type Egress, request } from '../egress/client.ts'

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
) => { readonly bytes: Uint8Array; readonly contentType: string } | null

const BYTES_MAX = 5_000_000
const TOTAL_MS_MAX = 5_000
const TTL_MS = { unsaid: 300_000, least: 60_000, most: 86_400_000 } as const
/** How long past its time a list still answers while its host does not. */
const STALE_MS_MAX = 3_600_000
/** A host that failed, or served what proved to be no list, is left alone for this long: presentations must not queue up behind it. */
const FAILED_MS = 10_000
/** Of lists that proved good, and of those that have yet to or were good before: these take no slot of the others. */
const BOUNDS: MemoryBounds = {
  good: { lists: 10_000, bytes: 64_000_000 },
  offered: { lists: 1_000, bytes: 32_000_000 },
}

const ACCEPT = {
  status_list_jwt: 'application/statuslist+jwt',
  status_list_cwt: 'application/statuslist+cwt',
  identifier_list_cwt: 'application/identifierlist+cwt',
  crl: 'application/pkix-crl',
} as const satisfies Record<StatusSource['kind'], string>

interface Served {
  readonly bytes: Uint8Array
  readonly contentType: string
}

interface Kept extends Served {
  readonly freshUntilMs: number
  readonly issuedAt: number | null
  /** Until when it is not fetched again although nobody has verified it. */
  readonly offeredUntilMs: number
}

export function createStatusLists(
  egress: Readonly<Record<Environment, Egress>>,
  own: OwnLists,
  bounds: MemoryBounds = BOUNDS,
): StatusLists {
  const good = createMemory(bounds.good)
  const offered = createMemory(bounds.offered)
  const replaced = createMemory(bounds.offered)
  const running = new Map<string, Promise<StatusAnswer>>()
  const failures = new Map<string, number>()

  async function refresh(name: string, question: StatusQuestion): Promise<StatusAnswer> {
    const { source, environment, nowMs } = question
    if ((failures.get(name) ?? 0) <= nowMs) {
      const fresh = await download(egress[environment], source)
      if (fresh !== null) {
        failures.delete(name)
        const list = newest(question, fresh, usable(good, name, nowMs))
        offered.set(name, list)
        return offer(name, list, nowMs)
      }
      if (failures.size > 10_000) failures.clear()
      // Only an attempt that was made begins the pause: questions alone must not draw it out.
      failures.set(name, nowMs + FAILED_MS)
    }
    const kept = usable(good, name, nowMs)
    if (kept === null) return { outcome: 'unavailable', reason: 'the status could not be fetched' }
    return answer(kept, true, [usable(replaced, name, nowMs)])
  }

  /** Nobody has verified it yet. It is kept when somebody did, unless another one has been fetched since. */
  function offer(name: string, list: Kept, nowMs: number): StatusAnswer {
    const [last, before] = [usable(good, name, nowMs), usable(replaced, name, nowMs)]
    const rely = () => {
      if (offered.get(name) !== list) return
      // Somebody found it good whose trust is not everybody's: for the others the one before stands until it is out of use.
      if (last !== null && last.bytes !== list.bytes && before === null) replaced.set(name, last)
      good.set(name, list)
    }
    return { ...answer(list, false, [last, before]), rely }
  }

  return {
    async find(question) {
      const { source, environment, nowMs } = question
      const ours = own(source, environment, nowMs)
      if (ours !== null) return { outcome: 'fetched', ...ours, stale: false }
      const name = `${environment} ${source.kind} ${source.uri}`
      const kept = good.get(name)
      if (kept !== undefined && nowMs < kept.freshUntilMs) {
        return answer(kept, false, [usable(replaced, name, nowMs)])
      }
      const open = offered.get(name)
      if (open !== undefined && nowMs < open.offeredUntilMs) return offer(name, open, nowMs)
      const begun = running.get(name) ?? refresh(name, question).finally(() => running.delete(name))
      running.set(name, begun)
      return begun
    },
  }
}

type Answer = Extract<StatusAnswer, { outcome: 'fetched' }>

function answer({ bytes, contentType }: Kept, stale: boolean, before: readonly (Kept | null)[]): Answer {
  const earlier = before.filter((list) => list !== null).filter((list) => list.bytes !== bytes)
  return { outcome: 'fetched', bytes, contentType, stale, earlier }
}

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
  const offeredUntilMs = nowMs + FAILED_MS
  const lifetime = lifetimeOf(served.bytes, source.kind)
  const { issuedAt } = lifetime
  if (last !== null && (isOlder(issuedAt, last.issuedAt) || Buffer.compare(served.bytes, last.bytes) === 0)) {
    return { ...last, freshUntilMs: freshUntil(lifetimeOf(last.bytes, source.kind), nowMs), offeredUntilMs }
  }
  return { ...served, issuedAt, freshUntilMs: freshUntil(lifetime, nowMs), offeredUntilMs }
}

function isOlder(issuedAt: number | null, other: number | null): boolean {
  return issuedAt !== null && other !== null && issuedAt < other
}

/** null for every way not to get one: the caller's policy decides what that means. */
async function download(egress: Egress, source: StatusSource): Promise<Served | null> {
  // Revocation lists are published over http and carry their own signature; for status lists https is the rule in live.
  const secure = source.kind === 'crl' || egress.policy.environment === 'test' || /^https:/i.test(source.uri)
  if (!secure) return null
  const outcome = await request(egress, {
    method: 'GET',
    url: source.uri,
    headers: { Accept: ACCEPT[source.kind] },
    bodyBytesMax: BYTES_MAX,
    limits: { totalMilliseconds: TOTAL_MS_MAX },
  })
  if (outcome.outcome !== 'answered' || outcome.status !== 200) return null
  const list = { bytes: outcome.body, contentType: outcome.headers['content-type'] ?? '' }
  return isList(source.kind, list) ? list : null
}

/** A page that says "come back later" under a 200 must not be remembered as the list. What the list says is not judged here. */
function isList(kind: StatusSource['kind'], { bytes, contentType }: Served): boolean {
  // Revocation lists are served under many types; DER begins with a sequence.
  if (kind === 'crl') return bytes[0] === DER_SEQUENCE
  const mediaType = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
  if (mediaType !== ACCEPT[kind]) return false
  if (kind !== 'status_list_jwt') return bytes[0] === COSE_SIGN1
  return /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(Buffer.from(bytes).toString('latin1'))
}

const DER_SEQUENCE = 0x30
/** CBOR tag 18 (RFC 9052 §2). */
const COSE_SIGN1 = 0xd2

/** Token Status List §13.7: the token's own word counts, not HTTP's; within bounds, and never past its end. */
function freshUntil({ ttlSeconds, expiresAt }: Lifetime, nowMs: number): number {
  const wanted = ttlSeconds === null ? TTL_MS.unsaid : ttlSeconds * 1000
  const ttlMs = Math.min(Math.max(wanted, TTL_MS.least), TTL_MS.most)
  return Math.min(nowMs + ttlMs, expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt * 1000)
}

export interface MemoryBounds {
  readonly good: Bounds
  readonly offered: Bounds
}

interface Bounds {
  readonly lists: number
  readonly bytes: number
}

type Memory = ReturnType<typeof createMemory>

/** What was unused for longest goes first. */
function createMemory(bounds: Bounds) {
  const kept = new Map<string, Kept>()
  let bytes = 0
  const sizeOf = (name: string, list: Kept) => 2 * name.length + list.bytes.length
  const drop = (name: string, list: Kept | undefined) => {
    if (list === undefined) return
    bytes -= sizeOf(name, list)
    kept.delete(name)
  }
  return {
    get(name: string): Kept | undefined {
      const found = kept.get(name)
      if (found === undefined) return undefined
      kept.delete(name)
      kept.set(name, found)
      return found
    },
    set(name: string, list: Kept): void {
      drop(name, kept.get(name))
      kept.set(name, list)
      bytes += sizeOf(name, list)
      for (const [oldest, dropped] of kept) {
        if (bytes <= bounds.bytes && kept.size <= bounds.lists) break
        drop(oldest, dropped)
      }
    },
  }
}
