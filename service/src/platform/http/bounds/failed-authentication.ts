// Slows down guessing: an address with too many failed authentications must wait.

import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../errors.ts'
import type { Sender } from '../../shares.ts'
import { createMeter } from './meter.ts'

interface FailureGuard {
  /** Refuses if the address has had too many failures. */
  requireAllowed(sender: Sender): void
  noteFailure(sender: Sender): void
}

/**
 * An address may fail ten times as often as its budget allows requests without a key. So a misconfigured client gets
 * 401 for a while before it gets 429.
 */
const FAILURES_FACTOR = 10

const guards = new WeakMap<object, FailureGuard>()

/** One guard per application. */
export function failureGuardOf(deps: Pick<Deps, 'config' | 'clock' | 'metrics'>): FailureGuard {
  const known = guards.get(deps) ?? createFailureGuard(deps)
  guards.set(deps, known)
  return known
}

function createFailureGuard(deps: Pick<Deps, 'config' | 'clock' | 'metrics'>): FailureGuard {
  const { ip } = deps.config.rates
  const meter = createMeter({ perSecond: ip.perSecond * FAILURES_FACTOR, burst: ip.burst * FAILURES_FACTOR })
  return {
    requireAllowed(sender) {
      const { allowed, retryAfterSeconds } = meter.check(sender, deps.clock.now())
      if (allowed) return
      deps.metrics.rateLimited.inc({ budget: 'failed_authentication' })
      throw new Refusal('rate_limit_exceeded', { retryAfterSeconds })
    },
    noteFailure(sender) {
      meter.spend(sender, deps.clock.now())
    },
  }
}
