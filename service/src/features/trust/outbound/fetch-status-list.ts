// Fetches and reads one list for everyone who waits for it. The budgets of the response and of the tenant pay for it.

import type { ListBudget, ListCost, StatusAnswer, StatusSource } from '@vidimus/engine'
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
  noteFailing,
  noteFetched,
  OVER_BUDGET_OF_RESPONSE,
} from './status-list-states.ts'
import type { firstSlot } from './tenant-slots.ts'

export interface StatusQuestion {
  readonly source: StatusSource
  readonly environment: Environment
  readonly nowMs: number
  /** The tenant that asks; null: the operator's own work. */
  readonly owner: string | null
  /** The budget of the response, or of whatever else names the list. */
  readonly budget: ListBudget
}

/** A requested list: its name, and the caller. */
export interface Asked extends StatusQuestion {
  readonly name: string
}

/** One fetch, shared by concurrent callers. */
export interface SharedFetch {
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

export interface Fetching {
  readonly requests: RequestThread
  readonly reader: ListReader
  /** Called for every failed fetch. */
  readonly reportFailure: (failure: ListFailure, of: StatusQuestion) => void
  /** Per list. */
  readonly bytesMax: number
  readonly known: Known<SharedFetch>
  readonly budgets: ListBudgets
  readonly inTurn: InTurn
  readonly beginWithinMs: number
}

/** For slots and shares: tenants are named with their environment, so none has this name. */
export const OPERATOR = 'operator'

/** From then on it no longer waits behind the other lists of the tenant, nor of the response, that asked first. */
export function joinFetch(shared: SharedFetch, asked: Asked): Promise<StatusAnswer> {
  shared.owners.add(asked.owner ?? '')
  shared.slot.join(asked.owner ?? OPERATOR)
  if (shared.offer === null) shared.askers.push(asked)
  else shared.offer(asked)
  return shared.answer
}

/** unknown → unverified, or failing. */
export async function fetchList(world: Fetching, asked: Asked, shared: SharedFetch): Promise<StatusAnswer> {
  const { known, budgets } = world
  const { download, giveBack } = await downloadInTurn(world, asked, shared)
  if (download === null) return answerOverBudget(known, asked)
  const { served, bytes, items } = download
  if (served === null) budgets.spend(asked, { bytes, items })
  const done = served === null ? null : await readShared(world, shared, served.bytes).finally(giveBack)
  if (done === 'over budget') return OVER_BUDGET_OF_RESPONSE
  if (served !== null && done !== null && done.read !== null)
    return noteFetched(known, asked, { contentType: served.contentType, ...done.read })
  // A lost thread says nothing about this host.
  if (download.served !== null || download.isThreadLost !== true) noteFailing(known, asked)
  world.reportFailure(download.served === null ? download.failure : UNREADABLE, asked)
  return answerOfFailing(known, asked)
}

/**
 * Downloads it when one of the tenants that wait for it has a slot; null if that was too late. `giveBack` frees the room
 * for a list that was served, once it was read.
 */
async function downloadInTurn(
  world: Fetching,
  asked: Asked,
  { slot }: SharedFetch,
): Promise<{ readonly download: Download | null; readonly giveBack: () => void }> {
  const queuedAt = performance.now()
  slot.join(asked.owner ?? OPERATOR)
  const taken = await slot.taken
  if (performance.now() - queuedAt > world.beginWithinMs) return { download: null, giveBack: taken.end(0) }
  try {
    const download = await downloadStatusList(world.requests, asked, world.bytesMax)
    return { download, giveBack: taken.end(download.served?.bytes.length ?? 0) }
  } catch (error) {
    taken.end(0)
    throw error
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
