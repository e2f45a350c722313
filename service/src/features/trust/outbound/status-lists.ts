// Fetches status lists and revocation lists once for all callers. Their states are in status-list-states.ts.

import type { StatusSource } from '@vidimus/engine'
import { createShares, type ShareBound } from '../../../platform/shares.ts'
import type { Environment } from '../../../platform/world.ts'
import {
  BEGIN_WITHIN_MS,
  LIST_BYTES_IN_PROGRESS,
  LIST_MEMORY,
  LISTS_AT_ONCE,
  LISTS_IN_PROGRESS,
  type ListAmounts,
  TENANT_DOWNLOADS_AT_ONCE,
  TENANT_LISTS_PER_MINUTE,
} from '../domain/list-bounds.ts'
import {
  type Fetching,
  fetchList,
  joinFetch,
  type ListLookup,
  OPERATOR,
  type SharedFetch,
  type StatusQuestion,
} from './fetch-status-list.ts'
import { createListBudgets } from './list-budgets.ts'
import { createReadingTurns, createResponseSlots } from './response-turns.ts'
import {
  answerGood,
  answerOfFailing,
  answerOverBudget,
  answerUnverified,
  createKnown,
  type ListAnswer,
  OVER_BUDGET_OF_RESPONSE,
  stateOf,
} from './status-list-states.ts'
import { createTenantSlots, firstSlot } from './tenant-slots.ts'

/**
 * Finds a list, and fetches it if the budgets of the response and of its tenant allow. If the tenant's budget is used
 * up, the good list answers, as when its host fails. If the response's is used up, the lookup is refused.
 */
export interface StatusLists {
  find(question: StatusQuestion): Promise<ListAnswer>
}

/** Returns a list that the service itself serves, without the network; null for every other address. */
type OwnLists = (
  source: StatusSource,
  environment: Environment,
  nowMs: number,
) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string } | null>

export interface ListBounds {
  /** Bytes. Unverified and replaced lists each get `unverified`, so that they cannot evict good lists. */
  readonly memory: { readonly good: number; readonly unverified: number }
  readonly perMinute: ListAmounts
  readonly inProgress: ShareBound
  /** Bytes of the lists in progress. */
  readonly room: ShareBound
  readonly atOnce: number
  readonly tenantAtOnce: number
  readonly beginWithinMs: number
}

const BOUNDS: ListBounds = {
  memory: LIST_MEMORY,
  perMinute: TENANT_LISTS_PER_MINUTE,
  inProgress: LISTS_IN_PROGRESS,
  room: LIST_BYTES_IN_PROGRESS,
  atOnce: LISTS_AT_ONCE,
  tenantAtOnce: TENANT_DOWNLOADS_AT_ONCE,
  beginWithinMs: BEGIN_WITHIN_MS,
}

interface ListWorld extends Pick<Fetching, 'requests' | 'reader' | 'reportFailure' | 'bytesMax'> {
  readonly own: OwnLists
  /** Default: the service's own limits. */
  readonly bounds?: Partial<ListBounds>
}

export function createStatusLists(world: ListWorld): StatusLists {
  const bounds = { ...BOUNDS, ...world.bounds }
  const known = createKnown<SharedFetch>(bounds.memory)
  const budgets = createListBudgets(bounds.perMinute)
  const inProgress = createShares(bounds.inProgress)
  const slots = createResponseSlots(bounds)
  const inTurn = createReadingTurns()
  const tenantSlots = createTenantSlots({
    atOnce: bounds.tenantAtOnce,
    bytesMax: world.bytesMax,
    room: createShares(bounds.room),
  })

  async function look(lookup: ListLookup): Promise<ListAnswer> {
    const found = stateOf(known, lookup)
    switch (found.state) {
      case 'good':
        return answerGood(known, lookup, found.list)
      case 'unverified':
        return answerUnverified(known, lookup, found.list)
      case 'fetching':
        return waitFor(found.shared, lookup, () => look(lookup))
      case 'failing':
        return answerOfFailing(known, lookup)
      case 'unknown':
        return slots.run(lookup.budget, {
          work: () => begin(lookup),
          refuse: () => OVER_BUDGET_OF_RESPONSE,
        })
    }
  }

  /** Starts a fetch, unless another caller has started or finished it while this one was queued. */
  async function begin(lookup: ListLookup): Promise<ListAnswer> {
    const found = stateOf(known, lookup)
    // Repeats `begin`, not `look`: this caller already has a slot, and waiting for another one would deadlock.
    if (found.state === 'fetching') return waitFor(found.shared, lookup, () => begin(lookup))
    if (found.state !== 'unknown') return look(lookup)
    const sender = [lookup.owner ?? OPERATOR] as const
    const begun = budgets.begin(lookup)
    if (begun === 'response') return OVER_BUDGET_OF_RESPONSE
    if (begun === 'tenant' || inProgress.take(sender, 1) !== 'taken') return answerOverBudget(known, lookup)
    const shared: SharedFetch = {
      owners: new Set([lookup.owner ?? '']),
      lookups: [lookup],
      answer: Promise.resolve(OVER_BUDGET_OF_RESPONSE),
      slot: firstSlot(tenantSlots),
      offer: null,
      cost: null,
    }
    const { beginWithinMs } = bounds
    shared.answer = fetchList({ ...world, known, budgets, inTurn, beginWithinMs }, lookup, shared).finally(() => {
      known.fetching.delete(lookup.name)
      inProgress.give(sender, 1)
    })
    known.fetching.set(lookup.name, shared)
    return shared.answer
  }

  /** Waits for a fetch that another response started. If that response's budget was too small, retries with this one's. */
  async function waitFor(
    shared: SharedFetch,
    lookup: ListLookup,
    again: () => Promise<ListAnswer>,
  ): Promise<ListAnswer> {
    const answer = await joinFetch(shared, lookup)
    if (answer !== OVER_BUDGET_OF_RESPONSE) return answer
    const { bytes, items } = budgets.limitOfNext(lookup)
    const isTooDear = shared.cost !== null && (shared.cost.bytes > bytes || shared.cost.items > items)
    return isTooDear ? answer : again()
  }

  return {
    async find(question) {
      const { source, environment, nowMs } = question
      const ours = await world.own(source, environment, nowMs)
      if (ours !== null) return { outcome: 'fetched', ...ours, stale: false }
      return look({ ...question, name: nameOf(question), owner: ownerOf(question) })
    },
  }
}

/** Budgets count test separately, because there anyone can present credentials that name lists. */
const ownerOf = ({ environment, owner }: StatusQuestion) => (owner === null ? null : `${environment} ${owner}`)

const nameOf = ({ environment, source }: StatusQuestion) => `${environment} ${source.kind} ${source.uri}`
