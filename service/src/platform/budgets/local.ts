// Keeps rate budgets in this process. Replicas that must share them use redis.ts.

import { type Budget, type Decision, decide } from '../rate.ts'

export interface Budgets {
  /** Spends this many units of the bucket `key` if they are available. Default: one unit. */
  spend(key: string, budget: Budget, nowMs: number, amount?: number): Promise<Decision>
  /** Returns a unit that was spent in advance and turned out not to count. */
  giveBack(key: string, budget: Budget): Promise<void>
  /** Whether the shared store of the replicas answers; null if there is none: each replica keeps its own budgets. */
  reach(): Promise<{ readonly isUp: true } | { readonly isUp: false; readonly reason: string } | null>
  close(): Promise<void>
}

const SWEEP_EVERY_MS = 10_000

export function createLocalBudgets(): Budgets {
  const tats = new Map<string, number>()
  let sweptAt = Number.NEGATIVE_INFINITY
  return {
    async spend(key, budget, nowMs, amount) {
      if (nowMs - sweptAt > SWEEP_EVERY_MS) {
        // A full bucket equals a new one. Deleting it bounds memory by the traffic.
        for (const [name, tat] of tats) if (tat <= nowMs) tats.delete(name)
        sweptAt = nowMs
      }
      const decision = decide(budget, nowMs, tats.get(key), amount)
      tats.set(key, decision.tat)
      return decision
    },
    async giveBack(key, budget) {
      const tat = tats.get(key)
      if (tat !== undefined) tats.set(key, tat - 1000 / budget.perSecond)
    },
    reach: async () => null,
    async close() {
      tats.clear()
    },
  }
}
