// Guessing keys costs the guesser, not the store: an address that has failed too often waits before it may try again.
// Kept in this process: what it protects is this process's share of the store.

import type { Deps } from '../deps.ts'
import { Refusal } from '../domain/errors.ts'
import { type Budget, decide } from '../domain/rate.ts'

export interface FailureGuard {
  /** Refuses an address that has no failures left. */
  demand(address: string): void
  noteFailure(address: string): void
}

/** Failures for each request the address budget allows: a misconfigured client is told 401 for a good while. */
const FAILURES_FACTOR = 10
const ADDRESSES_MAX = 100_000

const guards = new WeakMap<object, FailureGuard>()

/** One for each application. */
export function failureGuardOf(deps: Pick<Deps, 'config' | 'clock' | 'metrics'>): FailureGuard {
  const known = guards.get(deps) ?? createFailureGuard(deps)
  guards.set(deps, known)
  return known
}

function createFailureGuard(deps: Pick<Deps, 'config' | 'clock' | 'metrics'>): FailureGuard {
  const { ip } = deps.config.rates
  const budget: Budget = { perSecond: ip.perSecond * FAILURES_FACTOR, burst: ip.burst * FAILURES_FACTOR }
  const tats = new Map<string, number>()
  return {
    demand(address) {
      const stored = tats.get(address)
      if (stored === undefined) return
      const { allowed, retryAfterSeconds } = decide(budget, deps.clock.now(), stored)
      if (allowed) return
      deps.metrics.rateLimited.inc({ budget: 'failed_authentication' })
      throw new Refusal('rate_limit_exceeded', { retryAfterSeconds })
    },
    noteFailure(address) {
      const nowMs = deps.clock.now()
      if (tats.size >= ADDRESSES_MAX) forgetRecovered(tats, nowMs)
      tats.set(address, decide(budget, nowMs, tats.get(address)).tat)
    },
  }
}

/** Those that have their whole budget again; all of them when that frees nothing, so that memory stays bounded. */
function forgetRecovered(tats: Map<string, number>, nowMs: number): void {
  for (const [address, tat] of tats) if (tat <= nowMs) tats.delete(address)
  if (tats.size >= ADDRESSES_MAX) tats.clear()
}
