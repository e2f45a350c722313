// A rate budget for each address, and a wider one for each network around it, kept in this process: what it protects is this
// process's own time.

import { type Budget, type Decision, decide } from '../domain/rate.ts'
import { type Sender, widened } from '../domain/shares.ts'
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
      const isNew = who.some((group) => !tats.has(group))
      if (isNew && tats.size + who.length > addressesMax) forgetRecovered(tats, { nowMs, addressesMax })
      const asked = ask(who, nowMs)
      const decision = firstRefusal(asked)
      if (decision.allowed) for (const { group, decision } of asked) tats.set(group, decision.tat)
      return decision
    },
  }
}

/** Those that have their whole budget again; all of them when that frees nothing, so that memory stays bounded. */
function forgetRecovered(tats: Map<string, number>, at: { nowMs: number; addressesMax: number }): void {
  for (const [address, tat] of tats) if (tat <= at.nowMs) tats.delete(address)
  if (tats.size >= at.addressesMax) tats.clear()
}
