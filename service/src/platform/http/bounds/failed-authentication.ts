// Guessing keys costs the guesser, not the store: an address that has failed too often waits before it may try again.

import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../errors.ts'
import type { Sender } from '../../shares.ts'
import { createMeter } from './meter.ts'

export interface FailureGuard {
  /** Refuses an address that has no failures left. */
  demand(who: Sender): void
  noteFailure(who: Sender): void
}

/** Failures for each request the address budget allows: a misconfigured client is told 401 for a good while. */
const FAILURES_FACTOR = 10

const guards = new WeakMap<object, FailureGuard>()

/** One for each application. */
export function failureGuardOf(deps: Pick<Deps, 'config' | 'clock' | 'metrics'>): FailureGuard {
  const known = guards.get(deps) ?? createFailureGuard(deps)
  guards.set(deps, known)
  return known
}

function createFailureGuard(deps: Pick<Deps, 'config' | 'clock' | 'metrics'>): FailureGuard {
  const { ip } = deps.config.rates
  const meter = createMeter({ perSecond: ip.perSecond * FAILURES_FACTOR, burst: ip.burst * FAILURES_FACTOR })
  return {
    demand(who) {
      const { allowed, retryAfterSeconds } = meter.look(who, deps.clock.now())
      if (allowed) return
      deps.metrics.rateLimited.inc({ budget: 'failed_authentication' })
      throw new Refusal('rate_limit_exceeded', { retryAfterSeconds })
    },
    noteFailure(who) {
      meter.spend(who, deps.clock.now())
    },
  }
}
