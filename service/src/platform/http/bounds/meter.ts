// Keeps a rate budget per address and a larger one per network. Each process has its own budgets, which protect its time.

import { type Budget, type Decision, decide, type RateBound } from '../../rate.ts'
import { type Sender, widened } from '../../shares.ts'
import { ADDRESSES_MAX } from './limits.ts'

export interface Meter {
  /** What `spend` would decide now. */
  check(sender: Sender, nowMs: number): Decision
  spend(sender: Sender, nowMs: number): Decision
}

export function createMeter(budget: Budget, addressesMax: number = ADDRESSES_MAX): Meter {
  const tats = new Map<string, number>()
  const ask = (sender: Sender, nowMs: number) =>
    sender.map((group, level) => {
      const budgetOfGroup = { perSecond: widened(budget.perSecond, level), burst: widened(budget.burst, level) }
      return { group, decision: decide(budgetOfGroup, nowMs, tats.get(group)) }
    })
  const firstRefusal = (decisions: ReturnType<typeof ask>) =>
    (decisions.find(({ decision }) => !decision.allowed) ?? decisions[0])?.decision ?? decide(budget, 0, undefined)
  return {
    check: (sender, nowMs) => firstRefusal(ask(sender, nowMs)),
    spend(sender, nowMs) {
      const decisions = ask(sender, nowMs)
      const decision = firstRefusal(decisions)
      for (const { group, decision: own } of decisions) {
        const tat = decision.allowed ? own.tat : tats.get(group)
        if (tat !== undefined) putLast(tats, group, tat)
      }
      forgetFirst(tats, addressesMax)
      return decision
    },
  }
}

/**
 * Spends one unit of the sender's budget and one of the total, if both have one. Without a sender, only of the total.
 */
export function createBoundedRate({ each, all }: RateBound): (sender: Sender | null, nowMs: number) => boolean {
  const own = createMeter(each)
  let tat: number | undefined
  return (sender, nowMs) => {
    const decision = decide(all, nowMs, tat)
    if (!decision.allowed || (sender !== null && !own.spend(sender, nowMs).allowed)) return false
    tat = decision.tat
    return true
  }
}

/** A Map keeps insertion order. So the most recent sender is evicted last, even if it was refused. */
function putLast(tats: Map<string, number>, group: string, tat: number): void {
  tats.delete(group)
  tats.set(group, tat)
}

/**
 * Evicts the senders that were not seen for longest, so that a flood of new addresses does not reset an active budget.
 */
function forgetFirst(tats: Map<string, number>, addressesMax: number): void {
  for (const group of tats.keys()) {
    if (tats.size <= addressesMax) return
    tats.delete(group)
  }
}
