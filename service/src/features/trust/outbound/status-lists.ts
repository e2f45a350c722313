// Fetches status lists and revocation lists once for all callers. status-list-states.ts has their states.

import type { StatusAnswer, StatusSource } from '@vidimus/engine'
import { createShares, type ShareBound } from '../../../platform/shares.ts'
import type { Environment } from '../../../platform/world.ts'
import {
  BEGIN_WITHIN_MS,
  LIST_BYTES_UNDER_WAY,
  LIST_MEMORY,
  LISTS_AT_ONCE,
  LISTS_UNDER_WAY,
  type ListAmounts,
  TENANT_DOWNLOADS_AT_ONCE,
  TENANT_LISTS_PER_MINUTE,
} from '../domain/list-bounds.ts'
import {
  type Asked,
  type Fetching,
  fetchList,
  joinFetch,
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
  OVER_BUDGET_OF_RESPONSE,
  stateOf,
} from './status-list-states.ts'
import { createTenantSlots, firstSlot } from './tenant-slots.ts'

/**
 * Lists are fetched only while the budgets of the response and its tenant last. Without the tenant's, the good list
 * answers as if its host failed; without the response's, the lookup is refused.
 */
export interface StatusLists {
  find(question: StatusQuestion): Promise<StatusAnswer>
}

/** A list that the service serves itself, without the network; null for every other address. */
type OwnLists = (
  source: StatusSource,
  environment: Environment,
  nowMs: number,
) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string } | null>

export interface ListBounds {
  /** Bytes of memory for good lists; and for unverified and replaced ones each: these take no room from the good. */
  readonly memory: { readonly good: number; readonly unverified: number }
  readonly perMinute: ListAmounts
  readonly underWay: ShareBound
  /** Bytes of the lists under way. */
  readonly room: ShareBound
  readonly atOnce: number
  readonly tenantAtOnce: number
  readonly beginWithinMs: number
}

const BOUNDS: ListBounds = {
  memory: LIST_MEMORY,
  perMinute: TENANT_LISTS_PER_MINUTE,
  underWay: LISTS_UNDER_WAY,
  room: LIST_BYTES_UNDER_WAY,
  atOnce: LISTS_AT_ONCE,
  tenantAtOnce: TENANT_DOWNLOADS_AT_ONCE,
  beginWithinMs: BEGIN_WITHIN_MS,
}

interface ListWorld extends Pick<Fetching, 'requests' | 'reader' | 'reportFailure' | 'bytesMax'> {
  readonly own: OwnLists
  /** Absent: the service's own. */
  readonly bounds?: Partial<ListBounds>
}

export function createStatusLists(world: ListWorld): StatusLists {
  const bounds = { ...BOUNDS, ...world.bounds }
  const known = createKnown<SharedFetch>(bounds.memory)
  const budgets = createListBudgets(bounds.perMinute)
  const underWay = createShares(bounds.underWay)
  const slots = createResponseSlots(bounds)
  const inTurn = createReadingTurns()
  const tenantSlots = createTenantSlots({
    atOnce: bounds.tenantAtOnce,
    bytesMax: world.bytesMax,
    room: createShares(bounds.room),
  })

  async function look(asked: Asked): Promise<StatusAnswer> {
    const found = stateOf(known, asked)
    switch (found.state) {
      case 'good':
        return answerGood(known, asked, found.list)
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
    if (begun === 'tenant' || underWay.take(sender, 1) !== 'taken') return answerOverBudget(known, asked)
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
    const answer = await joinFetch(shared, asked)
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

/** Test and live have separate budgets: in test anyone may hold credentials of a trusted issuer, and name lists in them. */
const ownerOf = ({ environment, owner }: StatusQuestion) => (owner === null ? null : `${environment} ${owner}`)

const nameOf = ({ environment, source }: StatusQuestion) => `${environment} ${source.kind} ${source.uri}`
