// Fetches and parses a list once for all callers that wait for it, within the budgets of responses and tenants.

import type { ListBudget, ListCost, StatusSource } from '@vidimus/engine'
import type { RequestThread } from '../../../platform/egress/request-thread.ts'
import type { Environment } from '../../../platform/world.ts'
import { UNREAD_LIST_ITEMS } from '../domain/list-bounds.ts'
import type { ListFailure } from '../domain/list-failure.ts'
import { type Download, downloadStatusList } from './download-status-list.ts'
import type { ListBudgets } from './list-budgets.ts'
import type { ListReader } from './list-reader.ts'
import type { InTurn } from './response-turns.ts'
import {
  answerOfFailing,
  answerOverBudget,
  type Known,
  type ListAnswer,
  noteFailing,
  noteFetched,
  OVER_BUDGET_OF_RESPONSE,
} from './status-list-states.ts'
import type { firstSlot } from './tenant-slots.ts'

export interface StatusQuestion {
  readonly source: StatusSource
  readonly environment: Environment
  readonly nowMs: number
  /** The tenant that asks; null: the operator. */
  readonly owner: string | null
  /** The budget of the response that names the list. */
  readonly budget: ListBudget
}

/** A requested list, with its name and its caller. */
export interface ListLookup extends StatusQuestion {
  readonly name: string
}

/** A fetch that concurrent callers share. */
export interface SharedFetch {
  readonly owners: Set<string>
  /** The lookups that wait. The first one started the fetch. */
  readonly lookups: ListLookup[]
  answer: Promise<ListAnswer>
  readonly slot: ReturnType<typeof firstSlot>
  /** Called for each caller that joins after the download; null before that. */
  offer: ((lookup: ListLookup) => void) | null
  /** Set if parsing exceeded the budget of the response that paid for it. */
  cost: ListCost | null
}

export interface Fetching {
  readonly requests: RequestThread
  readonly reader: ListReader
  /** Called for every failed fetch. */
  readonly reportFailure: (failure: ListFailure, of: StatusQuestion) => void
  /** The limit for one list. */
  readonly bytesMax: number
  readonly known: Known<SharedFetch>
  readonly budgets: ListBudgets
  readonly inTurn: InTurn
  readonly beginWithinMs: number
}

/** The operator's name in slots and shares. No tenant has this name, because the names of tenants contain an environment. */
export const OPERATOR = 'operator'

/** Joins a running fetch. Then a slot of any waiting tenant can start the download. */
export function joinFetch(shared: SharedFetch, lookup: ListLookup): Promise<ListAnswer> {
  shared.owners.add(lookup.owner ?? '')
  shared.slot.join(lookup.owner ?? OPERATOR)
  if (shared.offer === null) shared.lookups.push(lookup)
  else shared.offer(lookup)
  return shared.answer
}

/** State change: from unknown to unverified or failing. */
export async function fetchList(world: Fetching, lookup: ListLookup, shared: SharedFetch): Promise<ListAnswer> {
  const { known, budgets } = world
  const { download, giveBack } = await downloadInTurn(world, lookup, shared)
  if (download === null) return answerOverBudget(known, lookup)
  const { served, bytes, items } = download
  if (served === null) budgets.spend(lookup, { bytes, items })
  const done = served === null ? null : await readShared(world, shared, served.bytes).finally(giveBack)
  if (done === 'over budget') return OVER_BUDGET_OF_RESPONSE
  if (served !== null && done !== null && done.read !== null)
    return noteFetched(known, lookup, { contentType: served.contentType, ...done.read })
  // If the thread crashed, that says nothing about this host.
  if (download.served !== null || download.isThreadLost !== true) noteFailing(known, lookup)
  world.reportFailure(download.served === null ? download.failure : UNREADABLE, lookup)
  return answerOfFailing(known, lookup)
}

/**
 * Downloads the list as soon as a waiting tenant gets a slot; `download` is null if that took too long. `giveBack`
 * releases the list's room after parsing.
 */
async function downloadInTurn(
  world: Fetching,
  lookup: ListLookup,
  { slot }: SharedFetch,
): Promise<{ readonly download: Download | null; readonly giveBack: () => void }> {
  const queuedAt = performance.now()
  slot.join(lookup.owner ?? OPERATOR)
  const taken = await slot.taken
  if (performance.now() - queuedAt > world.beginWithinMs) return { download: null, giveBack: taken.end(0) }
  try {
    const download = await downloadStatusList(world.requests, lookup, world.bytesMax)
    return { download, giveBack: taken.end(download.served?.bytes.length ?? 0) }
  } catch (error) {
    taken.end(0)
    throw error
  }
}

const UNREADABLE: ListFailure = { cause: 'unreadable', reason: 'content' }

/**
 * Parses the list once. The first waiting response without a list pays, whatever the length of the list. If there is no
 * such response, the one that started the fetch pays from its remaining budget.
 */
function readShared(world: Fetching, shared: SharedFetch, bytes: Uint8Array): ReturnType<typeof readList> {
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof readList>>>()
  const [first] = shared.lookups
  let isRead = false
  let open = 0
  const readFor = async (lookup: ListLookup) => {
    if (isRead) return
    isRead = true
    const reading = readList(world, lookup, { bytes, shared })
    resolve(reading)
    // The callers that wait for the list get the error. This turn only waits until reading has ended.
    await Promise.allSettled([reading])
  }
  const offer = (lookup: ListLookup) => {
    open += 1
    void world.inTurn(lookup.budget, async () => {
      open -= 1
      if (world.budgets.isUnused(lookup) || (open === 0 && lookup === first)) await readFor(lookup)
      else if (open === 0 && first !== undefined) void world.inTurn(first.budget, () => readFor(first))
    })
  }
  shared.offer = offer
  for (const lookup of shared.lookups) offer(lookup)
  return promise
}

async function readList(
  { budgets, reader }: Fetching,
  lookup: ListLookup,
  { bytes, shared }: { readonly bytes: Uint8Array; readonly shared: SharedFetch },
) {
  const size = bytes.length
  if (!budgets.mayRead(lookup)) {
    budgets.spend(lookup, { bytes: size, items: 0 })
    return 'over budget'
  }
  const limit = budgets.limitOfNext(lookup)
  const done = await reader.read({ bytes, kind: lookup.source.kind, limit }, shared.owners)
  // If no worker could parse the list, it costs as much as the longest readable list.
  budgets.spend(lookup, done?.cost ?? { bytes: size, items: UNREAD_LIST_ITEMS }, done !== null && done.read !== null)
  if (done?.isOverBudget !== true) return done
  shared.cost = done.cost
  return 'over budget'
}
