// Rate budgets at the door: spend one unit, say what is left, refuse when there is none.

import type { FastifyReply } from 'fastify'
import type { Deps } from '../deps.ts'
import { Refusal } from '../domain/errors.ts'
import type { Budget, Decision } from '../domain/rate.ts'

export interface Spending {
  readonly name: 'key' | 'ip' | 'verification' | 'enroll' | 'enroll_all'
  readonly key: string
  readonly budget: Budget
  /** What to do when the budget store cannot answer: a guessing game must close, ordinary traffic goes on. */
  readonly whenUnavailable?: 'refuse'
}

export async function spendBudget(
  deps: Pick<Deps, 'budgets' | 'clock' | 'metrics' | 'log'>,
  reply: FastifyReply,
  spending: Spending,
): Promise<void> {
  const decision = await ask(deps, spending)
  if (decision === null) return
  reply.header('RateLimit-Limit', decision.limit)
  reply.header('RateLimit-Remaining', decision.remaining)
  reply.header('RateLimit-Reset', decision.resetSeconds)
  if (!decision.allowed) {
    deps.metrics.rateLimited.inc({ budget: spending.name })
    throw new Refusal('rate_limit_exceeded', { retryAfterSeconds: decision.retryAfterSeconds })
  }
}

async function ask(
  deps: Pick<Deps, 'budgets' | 'clock' | 'metrics' | 'log'>,
  spending: Spending,
): Promise<Decision | null> {
  try {
    return await deps.budgets.spend(`${spending.name}:${spending.key}`, spending.budget, deps.clock.now())
  } catch (error) {
    deps.metrics.alarms.inc({ alarm: 'budget_store_unavailable' })
    deps.log.fault('budget store unavailable', error)
    if (spending.whenUnavailable === 'refuse') throw new Refusal('unavailable', { retryAfterSeconds: 1 })
    return null
  }
}
