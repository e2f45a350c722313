// Limits the cost of lists per response, and per tenant and minute.

import type { ListBudget, ListCost } from '@vidimus/engine'
import { listBytesMax, spendListRead } from '@vidimus/engine/limits'
import type { ListAmounts } from '../domain/list-bounds.ts'

/** The cost of a list is known only after parsing. So another list may start while any budget is left. */
export interface ListBudgets {
  /** Counts a list as started, or returns which budget is used up. */
  begin(asker: Asker): 'begun' | 'response' | 'tenant'
  /** Whether the response has budget left. */
  mayRead(asker: Pick<Asker, 'budget'>): boolean
  /** The most that the next list may cost: what the work can pay for. So the first list can be a national one. */
  limitOfNext(asker: Pick<Asker, 'budget'>): ListCost
  /** Whether the response has budget left and has received no list, so that its next list may have any length. */
  isUnused(asker: Pick<Asker, 'budget'>): boolean
  /** `isReturned`: the response received a list for this cost. */
  spend(asker: Asker, cost: ListCost, isReturned?: boolean): void
}

interface Asker {
  /** The tenant; null: the operator. */
  readonly owner: string | null
  readonly budget: ListBudget
  readonly nowMs: number
}

type Left = { -readonly [Name in keyof ListAmounts]: number } & { atMs: number }

const MINUTE_MS = 60_000
const SWEEP_EVERY_MS = 10_000

export function createListBudgets(perMinute: ListAmounts): ListBudgets {
  const byOwner = new Map<string, Left>()
  /** The budgets of responses that have received a list. */
  const served = new WeakSet<ListBudget>()
  let sweptAt = Number.NEGATIVE_INFINITY

  function leftOf(owner: string, nowMs: number): Left {
    if (nowMs - sweptAt > SWEEP_EVERY_MS) {
      // Forgets owners that spent nothing for a minute: their budget is full again.
      for (const [name, { atMs }] of byOwner) if (nowMs - atMs >= MINUTE_MS) byOwner.delete(name)
      sweptAt = nowMs
    }
    const known = byOwner.get(owner) ?? { ...perMinute, atMs: nowMs }
    byOwner.set(owner, known)
    const share = Math.min(1, Math.max(0, nowMs - known.atMs) / MINUTE_MS)
    for (const name of ['lists', 'bytes', 'items'] as const)
      known[name] = Math.min(perMinute[name], known[name] + perMinute[name] * share)
    // Responses spend with their time of arrival. If time went back, an owner would regain budget for the same seconds twice.
    known.atMs = Math.max(known.atMs, nowMs)
    return known
  }

  return {
    begin({ owner, budget, nowMs }) {
      if (!hasLeft(budget)) return 'response'
      if (owner === null) return 'begun'
      const left = leftOf(owner, nowMs)
      if (left.lists < 1 || left.bytes <= 0 || left.items <= 0) return 'tenant'
      left.lists -= 1
      return 'begun'
    },
    mayRead: ({ budget }) => hasLeft(budget),
    isUnused: ({ budget }) => hasLeft(budget) && !served.has(budget),
    limitOfNext({ budget }) {
      const { bytesLeft: bytes, itemsLeft: items } = served.has(budget) ? budget : WITHOUT_LIMIT
      return { bytes: Math.min(bytes, listBytesMax(budget)), items }
    },
    spend({ owner, budget, nowMs }, { bytes, items }, isReturned = false) {
      if (isReturned) served.add(budget)
      spendListRead(budget, bytes)
      budget.bytesLeft = Math.max(0, budget.bytesLeft - bytes)
      budget.itemsLeft = Math.max(0, budget.itemsLeft - items)
      if (owner === null) return
      const left = leftOf(owner, nowMs)
      left.bytes -= bytes
      left.items -= items
    },
  }
}

const WITHOUT_LIMIT = { bytesLeft: Number.POSITIVE_INFINITY, itemsLeft: Number.POSITIVE_INFINITY }
const hasLeft = ({ bytesLeft, itemsLeft, work }: ListBudget) => bytesLeft > 0 && itemsLeft > 0 && work.left > 0
