// Fetches status lists and revocation lists, once for all callers. The engine interprets them.
//
// For one address, in one environment and as one kind, there may be at a time
//
//   an unverified one fetched, and not verified yet; for 10 s it is not fetched again
//   a good list       verified by a caller; fresh as long as it says (1 minute to 1 day), usable for an hour after that
//   a replaced list   was good before the good one; usable just as long
//   a failure         the last fetch brought nothing that can be read as a list; for 10 s its host is left alone
//
// A lookup takes the first of these states and returns:
//
//   good       a good list is fresh           it; with it the replaced one
//   unverified one of these is open           it; with it the good one and the replaced one
//   fetching   a fetch is in progress         the result of that fetch
//   failing    a failure is not over          the good one while it is usable, marked stale; otherwise: unavailable
//   unknown    none of these                  it is fetched and read, and then unverified, or failing
//
// A caller that verifies an unverified list calls `rely`: it becomes good, and the good one becomes the replaced one,
// unless there is one that is still usable. So a list that fails verification never displaces a verified one; and a
// caller that does not trust the newest list also gets the earlier ones.
//
// A list is fetched and read only while the budgets of the response and of its tenant last. If the tenant's is spent,
// the good list answers as if its host failed, and other tenants are not affected; if the response's is spent, it is
// refused.

import type { FetchedList, ListBudget, ListCost, StatusAnswer, StatusSource } from '@vidimus/engine'
import type { RequestThread } from '../../../platform/egress/request-thread.ts'
import { createShares, type ShareBound } from '../../../platform/shares.ts'
import type { Environment } from '../../../platform/world.ts'
import {
  BEGIN_WITHIN_MS,
  LIST_MEMORY,
  LISTS_AT_ONCE,
  LISTS_UNDER_WAY,
  type ListAmounts,
  TENANT_DOWNLOADS_AT_ONCE,
  TENANT_LISTS_PER_MINUTE,
  UNREAD_LIST_ITEMS,
} from '../domain/list-bounds.ts'
import type { ListFailure } from '../domain/list-failure.ts'
import { type Download, downloadStatusList } from './download-status-list.ts'
import { createListBudgets, type ListBudgets } from './list-budgets.ts'
import type { ListReader, ReadContent } from './list-reader.ts'
import { createReadingTurns, createResponseSlots, type InTurn } from './response-turns.ts'
import { createMemory, type Kept, type Memory } from './status-list-memory.ts'
import { createTenantSlots, firstSlot } from './tenant-slots.ts'

export interface StatusLists {
  find(question: StatusQuestion): Promise<StatusAnswer>
}

interface StatusQuestion {
  readonly source: StatusSource
  readonly environment: Environment
  readonly nowMs: number
  /** The tenant that asks; null: the operator's own work. */
  readonly owner: string | null
  /** The budget of the response, or of whatever else names the list. */
  readonly budget: ListBudget
}

/** A list that the service serves itself, without the network; null for every other address. */
type OwnLists = (
  source: StatusSource,
  environment: Environment,
  nowMs: number,
) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string } | null>

const TTL_MS = { unsaid: 300_000, least: 60_000, most: 86_400_000 } as const
/** How long an expired list still answers while its host fails. */
const STALE_MS_MAX = 3_600_000
/** How long a host that failed or served an unverified list is left alone: presentations must not queue up behind it. */
const PAUSE_MS = 10_000
const FAILURES_MAX = 10_000

export interface ListBounds {
  /** Bytes of memory for good lists; and for unverified and replaced ones each: these take no room from the good. */
  readonly memory: { readonly good: number; readonly unverified: number }
  readonly perMinute: ListAmounts
  readonly underWay: ShareBound
  readonly atOnce: number
  readonly tenantAtOnce: number
  readonly beginWithinMs: number
}

const BOUNDS: ListBounds = {
  memory: LIST_MEMORY,
  perMinute: TENANT_LISTS_PER_MINUTE,
  underWay: LISTS_UNDER_WAY,
  atOnce: LISTS_AT_ONCE,
  tenantAtOnce: TENANT_DOWNLOADS_AT_ONCE,
  beginWithinMs: BEGIN_WITHIN_MS,
}

interface ListWorld {
  readonly requests: RequestThread
  readonly own: OwnLists
  readonly reader: ListReader
  /** Called for every failed fetch. */
  readonly reportFailure: (failure: ListFailure, of: StatusQuestion) => void
  /** Per list. */
  readonly bytesMax: number
  /** Absent: the service's own. */
  readonly bounds?: Partial<ListBounds>
}

/** By name of an address, see `nameOf`. */
interface Known {
  readonly good: Memory
  readonly unverified: Memory
  readonly replaced: Memory
  readonly fetching: Map<string, SharedFetch>
  /** Until when. */
  readonly failing: Map<string, number>
}

/** One fetch, shared by concurrent callers. */
interface SharedFetch {
  readonly owners: Set<string>
  /** The one that began it first. */
  readonly askers: Asked[]
  answer: Promise<StatusAnswer>
  readonly slot: ReturnType<typeof firstSlot>
  /** Called with everyone who joins after the download. */
  offer: ((asked: Asked) => void) | null
  /** Set if it was over the budget of the one that it was read for. */
  cost: ListCost | null
}

/** A requested list: its name, and the caller. */
interface Asked extends StatusQuestion {
  readonly name: string
}

export function createStatusLists(world: ListWorld): StatusLists {
  const bounds = { ...BOUNDS, ...world.bounds }
  const known: Known = {
    good: createMemory(bounds.memory.good),
    unverified: createMemory(bounds.memory.unverified),
    replaced: createMemory(bounds.memory.unverified),
    fetching: new Map(),
    failing: new Map(),
  }
  const budgets = createListBudgets(bounds.perMinute)
  const underWay = createShares(bounds.underWay)
  const slots = createResponseSlots(bounds)
  const inTurn = createReadingTurns()
  const tenantSlots = createTenantSlots(bounds.tenantAtOnce)

  async function look(asked: Asked): Promise<StatusAnswer> {
    const found = stateOf(known, asked)
    switch (found.state) {
      case 'good':
        return answer(found.list, { stale: false, before: [usable(known.replaced, asked)] })
      case 'unverified':
        return answerUnverified(known, asked, found.list)
      case 'fetching':
        return waitFor(found.shared, asked, () => look(asked))
      case 'failing':
        return answerOfFailing(known, asked)
      case 'unknown':
        return slots.run(asked.budget, {
          work: () => begin(asked),
          refuse: () => OVER_BUDGET_OF_RESPONSE,
        })
    }
  }

  /** While it was queued, another caller may have started or finished the fetch. */
  async function begin(asked: Asked): Promise<StatusAnswer> {
    const found = stateOf(known, asked)
    // Retry from here: it already has its slot, and would deadlock if it asked for another.
    if (found.state === 'fetching') return waitFor(found.shared, asked, () => begin(asked))
    if (found.state !== 'unknown') return look(asked)
    const sender = [asked.owner ?? OPERATOR] as const
    const begun = budgets.begin(asked)
    if (begun === 'response') return OVER_BUDGET_OF_RESPONSE
    if (begun === 'tenant' || underWay.take(sender, 1) !== 'taken') return overBudget(known, asked)
    const shared: SharedFetch = {
      owners: new Set([asked.owner ?? '']),
      askers: [asked],
      answer: Promise.resolve(OVER_BUDGET_OF_RESPONSE),
      slot: firstSlot(tenantSlots),
      offer: null,
      cost: null,
    }
    const { beginWithinMs } = bounds
    shared.answer = fetchList({ ...world, known, budgets, inTurn, beginWithinMs }, asked, shared).finally(() => {
      known.fetching.delete(asked.name)
      underWay.give(sender, 1)
    })
    known.fetching.set(asked.name, shared)
    return shared.answer
  }

  /** Another response's fetch serves this one too; its spent budget does not. Who could not pay either does not try. */
  async function waitFor(shared: SharedFetch, asked: Asked, again: () => Promise<StatusAnswer>): Promise<StatusAnswer> {
    const answer = await join(shared, asked)
    if (answer !== OVER_BUDGET_OF_RESPONSE) return answer
    const { bytes, items } = budgets.mostOfNext(asked)
    const isTooDear = shared.cost !== null && (shared.cost.bytes > bytes || shared.cost.items > items)
    return isTooDear ? answer : again()
  }

  return {
    async find(question) {
      const { source, environment, nowMs } = question
      const ours = await world.own(source, environment, nowMs)
      if (ours !== null) return { outcome: 'fetched', ...ours, stale: false, fetchedAt: Math.floor(nowMs / 1000) }
      return look({ ...question, name: nameOf(question), owner: ownerOf(question) })
    },
  }
}

const OPERATOR = 'operator'

/** Test and live have separate budgets: in test anyone may hold credentials of a trusted issuer, and name lists in them. */
const ownerOf = ({ environment, owner }: StatusQuestion) => (owner === null ? null : `${environment} ${owner}`)

const nameOf = ({ environment, source }: StatusQuestion) => `${environment} ${source.kind} ${source.uri}`

type State =
  | { readonly state: 'good' | 'unverified'; readonly list: Kept }
  | { readonly state: 'fetching'; readonly shared: SharedFetch }
  | { readonly state: 'failing' | 'unknown' }

function stateOf(known: Known, { name, owner, nowMs }: Asked): State {
  const good = known.good.get(name, owner)
  if (good !== undefined && nowMs < good.freshUntilMs) return { state: 'good', list: good }
  const unverified = known.unverified.get(name, owner)
  if (unverified !== undefined && nowMs < unverified.retryAtMs) return { state: 'unverified', list: unverified }
  const shared = known.fetching.get(name)
  if (shared !== undefined) return { state: 'fetching', shared }
  return { state: nowMs < (known.failing.get(name) ?? 0) ? 'failing' : 'unknown' }
}

interface Fetching extends Pick<ListWorld, 'requests' | 'reader' | 'reportFailure' | 'bytesMax'> {
  readonly known: Known
  readonly budgets: ListBudgets
  readonly inTurn: InTurn
  readonly beginWithinMs: number
}

/** From then on it no longer waits behind the other lists of the tenant, nor of the response, that asked first. */
function join(shared: SharedFetch, asked: Asked): Promise<StatusAnswer> {
  shared.owners.add(asked.owner ?? '')
  shared.slot.join(asked.owner ?? OPERATOR)
  if (shared.offer === null) shared.askers.push(asked)
  else shared.offer(asked)
  return shared.answer
}

/** unknown → unverified, or failing. */
async function fetchList(world: Fetching, asked: Asked, shared: SharedFetch): Promise<StatusAnswer> {
  const { known, budgets } = world
  const { name, owner, nowMs } = asked
  const download = await downloadInTurn(world, asked, shared)
  if (download === 'too late') return overBudget(known, asked)
  const { served, bytes, items } = download
  if (served === null) budgets.spend(asked, { bytes, items })
  const done = served === null ? null : await readShared(world, shared, served.bytes)
  if (done === 'over budget') return OVER_BUDGET_OF_RESPONSE
  if (served === null || done === null || done.read === null) {
    if (known.failing.size >= FAILURES_MAX) known.failing.clear()
    // A lost thread says nothing about this host.
    if (download.served !== null || download.isThreadLost !== true) known.failing.set(name, nowMs + PAUSE_MS)
    world.reportFailure(download.served === null ? download.failure : UNREADABLE, asked)
    return answerOfFailing(known, asked)
  }
  known.failing.delete(name)
  const list = newest({ contentType: served.contentType, ...done.read }, usable(known.good, asked), nowMs)
  known.unverified.set(name, list, owner)
  return answerUnverified(known, asked, list)
}

/** Downloads it when one of the tenants that wait for it has a slot. */
async function downloadInTurn(world: Fetching, asked: Asked, { slot }: SharedFetch): Promise<Download | 'too late'> {
  const queuedAt = performance.now()
  slot.join(asked.owner ?? OPERATOR)
  const release = await slot.taken
  try {
    if (performance.now() - queuedAt > world.beginWithinMs) return 'too late'
    return await downloadStatusList(world.requests, asked, world.bytesMax)
  } finally {
    release()
  }
}

const UNREADABLE: ListFailure = { cause: 'unreadable', reason: 'content' }

/**
 * Reads it in the turn of the first response that comes to it and has got no list yet: it pays, whatever the list's
 * length. If there is none, the one that began pays from what it has left.
 */
function readShared(world: Fetching, shared: SharedFetch, bytes: Uint8Array): ReturnType<typeof readList> {
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof readList>>>()
  const [first] = shared.askers
  let isRead = false
  let open = 0
  const readFor = async (asked: Asked) => {
    if (isRead) return
    isRead = true
    const reading = readList(world, asked, { bytes, shared })
    resolve(reading)
    // A fault is for those who wait for the list.
    await Promise.allSettled([reading])
  }
  const offer = (asked: Asked) => {
    open += 1
    void world.inTurn(asked.budget, async () => {
      open -= 1
      if (world.budgets.isUnused(asked) || (open === 0 && asked === first)) await readFor(asked)
      else if (open === 0 && first !== undefined) void world.inTurn(first.budget, () => readFor(first))
    })
  }
  shared.offer = offer
  for (const asked of shared.askers) offer(asked)
  return promise
}

async function readList(
  { budgets, reader }: Fetching,
  asked: Asked,
  { bytes, shared }: { readonly bytes: Uint8Array; readonly shared: SharedFetch },
) {
  const size = bytes.length
  if (!budgets.mayRead(asked)) {
    budgets.spend(asked, { bytes: size, items: 0 })
    return 'over budget'
  }
  const most = budgets.mostOfNext(asked)
  const done = await reader.read({ bytes, kind: asked.source.kind, most }, shared.owners)
  // A list that kept a worker busy until the timeout costs as much as the longest that can be read.
  budgets.spend(asked, done?.cost ?? { bytes: size, items: UNREAD_LIST_ITEMS }, done !== null && done.read !== null)
  if (done?.isOverBudget !== true) return done
  shared.cost = done.cost
  return 'over budget'
}

/** The answer carries the callback that marks the list good. */
function answerUnverified(known: Known, asked: Asked, list: Kept): StatusAnswer {
  const { name, owner } = asked
  const good = usable(known.good, asked)
  const replaced = usable(known.replaced, asked)
  const rely = () => {
    // Another one was fetched since.
    if (known.unverified.get(name, owner) !== list) return
    // One tenant's trust does not bind the others: for them the previous list stays available until it expires.
    if (good !== null && good.bytes !== list.bytes && replaced === null) known.replaced.set(name, good, owner)
    known.good.set(name, list, owner)
  }
  return { ...answer(list, { stale: false, before: [good, replaced] }), rely }
}

function answerOfFailing(known: Known, asked: Asked): StatusAnswer {
  const good = usable(known.good, asked)
  if (good === null) return { outcome: 'unavailable', reason: 'the status could not be fetched' }
  return answer(good, { stale: true, before: [usable(known.replaced, asked)] })
}

/** What the last good list revoked stays revoked, as if its host were unavailable. */
function overBudget(known: Known, asked: Asked): StatusAnswer {
  const found = answerOfFailing(known, asked)
  if (found.outcome === 'fetched') return found
  return { outcome: 'unavailable', reason: 'too many or too long lists in a minute', overBudget: 'tenant' }
}

/** No fallback to an older list: the presenter chooses how many and how long lists a response names. */
const OVER_BUDGET_OF_RESPONSE: StatusAnswer = {
  outcome: 'unavailable',
  reason: 'too many or too long lists in a response',
  overBudget: 'response',
}

function answer(
  list: Kept,
  { stale, before }: { stale: boolean; before: readonly (Kept | null)[] },
): Extract<StatusAnswer, { outcome: 'fetched' }> {
  const earlier = before.filter((one) => one !== null).filter(({ bytes }) => bytes !== list.bytes)
  return { outcome: 'fetched', ...fetchedOf(list), stale, earlier: earlier.map(fetchedOf) }
}

const fetchedOf = ({ bytes, contentType, content, fetchedAtMs }: Kept): FetchedList => ({
  bytes,
  contentType,
  content,
  fetchedAt: Math.floor(fetchedAtMs / 1000),
})

/** Until it is too old even for an unavailable host. */
function usable(memory: Memory, { name, owner, nowMs }: Asked): Kept | null {
  const kept = memory.get(name, owner)
  return kept !== undefined && nowMs < kept.freshUntilMs + STALE_MS_MAX ? kept : null
}

type ReadList = ReadContent & Pick<Kept, 'contentType'>

/**
 * A host that serves an older list than before is a stale cache, or an attacker who hides revocations: treat it as
 * having served the last good list again.
 */
function newest({ bytes, contentType, content, memory, lifetime }: ReadList, last: Kept | null, nowMs: number): Kept {
  const retryAtMs = nowMs + PAUSE_MS
  const isOld = last !== null && isOlder(lifetime.issuedAt, last.lifetime.issuedAt)
  if (last !== null && (isOld || content.sha256 === last.content.sha256))
    return { ...last, freshUntilMs: freshUntil(last.lifetime, nowMs), retryAtMs }
  const freshUntilMs = freshUntil(lifetime, nowMs)
  return { bytes, contentType, content, memory, lifetime, fetchedAtMs: nowMs, freshUntilMs, retryAtMs }
}

function isOlder(issuedAt: number | null, other: number | null): boolean {
  return issuedAt !== null && other !== null && issuedAt < other
}

/** Token Status List §13.7: the token's own lifetime counts, not HTTP's; within limits, and never past its expiry. */
function freshUntil({ ttlSeconds, expiresAt }: ReadContent['lifetime'], nowMs: number): number {
  const wanted = ttlSeconds === null ? TTL_MS.unsaid : ttlSeconds * 1000
  const ttlMs = Math.min(Math.max(wanted, TTL_MS.least), TTL_MS.most)
  return Math.min(nowMs + ttlMs, expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt * 1000)
}
