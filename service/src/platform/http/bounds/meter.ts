// A rate budget for each address, and a wider one for each network around it, kept in this process: what it protects is this
// process's own time.

import { type Budget, type Decision, decide, type RateBound } from '../../rate.ts'
import { type Sender, widened } from '../../shares.ts'
import { ADDRESSES_MAX } from './limits.ts'

export interface Meter {
  /** What would be decided now; nothing is spent. */
  look(who: Sender, nowMs: number): Decision
  spend(who: Sender, nowMs: number): Decision
}

export function createMeter(budget: Budget, addressesMax: number = ADDRESSES_MAX): Meter {
  const tats = new Map<string, number>()
  const ask = (who: Sender, nowMs: number) =>
    who.map((group, level) => {
      const budgetOfGroup = { perSecond: widened(budget.perSecond, level), burst: widened(budget.burst, level) }
      return { group, decision: decide(budgetOfGroup, nowMs, tats.get(group)) }
    })
  const firstRefusal = (asked: ReturnType<typeof ask>) =>
    (asked.find(({ decision }) => !decision.allowed) ?? asked[0])?.decision ?? decide(budget, 0, undefined)
  return {
    look: (who, nowMs) => firstRefusal(ask(who, nowMs)),
    spend(who, nowMs) {
      const asked = ask(who, nowMs)
      const decision = firstRefusal(asked)
      for (const { group, decision: own } of asked) {
        const tat = decision.allowed ? own.tat : tats.get(group)
        if (tat !== undefined) putLast(tats, group, tat)
      }
      forgetFirst(tats, addressesMax)
      return decision
    },
  }
}

/** Spends one of the sender's own and one of everybody's where both are there; of nobody in particular, everybody's alone. */
export function createBoundedRate({ each, all }: RateBound): (who: Sender | null, nowMs: number) => boolean {
  const own = createMeter(each)
  let tat: number | undefined
  return (who, nowMs) => {
    const decision = decide(all, nowMs, tat)
    if (!decision.allowed || (who !== null && !own.spend(who, nowMs).allowed)) return false
    tat = decision.tat
    return true
  }
}

/** A Map keeps the order of insertion: whoever was seen now is forgotten last, also where they were refused. */
function putLast(tats: Map<string, number>, group: string, tat: number): void {
  tats.delete(group)
  tats.set(group, tat)
}

/** Those not seen for longest, so that many new addresses give nobody their budget back who goes on spending it. */
function forgetFirst(tats: Map<string, number>, addressesMax: number): void {
  for (const group of tats.keys()) {
    if (tats.size <= addressesMax) return
    tats.delete(group)
  }
}
