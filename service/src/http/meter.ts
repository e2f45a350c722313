// A rate budget for each address, kept in this process: what it protects is this process's own time.

import { type Budget, type Decision, decide } from '../domain/rate.ts'
import { ADDRESSES_MAX } from './limits.ts'

export interface Meter {
  /** What would be decided now; nothing is spent. */
  look(address: string, nowMs: number): Decision
  spend(address: string, nowMs: number): Decision
}

export function createMeter(budget: Budget, addressesMax: number = ADDRESSES_MAX): Meter {
  const tats = new Map<string, number>()
  return {
    look: (address, nowMs) => decide(budget, nowMs, tats.get(address)),
    spend(address, nowMs) {
      if (tats.size >= addressesMax && !tats.has(address)) forgetRecovered(tats, { nowMs, addressesMax })
      const decision = decide(budget, nowMs, tats.get(address))
      tats.set(address, decision.tat)
      return decision
    },
  }
}

/** Those that have their whole budget again; all of them when that frees nothing, so that memory stays bounded. */
function forgetRecovered(tats: Map<string, number>, at: { nowMs: number; addressesMax: number }): void {
  for (const [address, tat] of tats) if (tat <= at.nowMs) tats.delete(address)
  if (tats.size >= at.addressesMax) tats.clear()
}
