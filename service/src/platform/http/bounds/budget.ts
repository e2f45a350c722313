// Spends the rate budgets of callers: takes one unit, reports what is left, refuses if there is none.

import type { FastifyReply } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../errors.ts'
import type { Budget, Decision } from '../../rate.ts'

export interface Spending {
  readonly name:
    | 'key'
    | 'key_share'
    | 'lost_access'
    | 'tenant'
    | 'ip'
    | 'verification'
    | 'enroll'
    | 'enroll_failures'
    | 'enroll_all'
    | 'enroll_reserve'
    | 'staff'
    | 'staff_tenant'
    | 'sign_in'
    | 'sign_in_failures'
    | 'sign_in_failures_all'
    | 'audit_scan'
    | 'webhook_by_hand'
    | 'webhook_resends'
    | 'trust_by_hand'
    | 'till_change'
    | 'oidc_sign_in'
    | 'oidc_client'
    | 'oidc_client_reserve'
    | 'oidc_open_reserve'
    | 'oidc_request_uri'
    | 'oidc_request_uri_reserve'
    | 'verification_export'
    | 'template_list'
    | 'link_address'
    | 'link'
    | 'link_tenant'
    | 'link_all'
    | 'link_reserve'
    | 'test_wallet'
  readonly key: string
  readonly budget: Budget
  /** Units; default: one. */
  readonly amount?: number
}

type Needs = Pick<Deps, 'budgets' | 'clock' | 'metrics'>

/** Reports the rest of the budget to the caller. Not for a budget of all callers, which would reveal their requests. */
export async function spendBudget(deps: Needs, reply: FastifyReply, spending: Spending): Promise<void> {
  if (spending.key === 'all') throw new Error('bug: callers must not learn what others have spent')
  const decision = await ask(deps, spending)
  reply.header('ratelimit-limit', decision.limit)
  reply.header('ratelimit-remaining', decision.remaining)
  reply.header('ratelimit-reset', decision.resetSeconds)
  requireBudget(deps, spending, decision)
}

/**
 * Runs an attempt under a budget that counts only failures. Spends the unit before the attempt, so that concurrent
 * attempts cannot exceed the budget, and returns it after a success. If `first` is empty, uses `reserve`.
 */
export async function whileFailuresLast<T>(
  deps: Needs,
  first: Spending,
  attempt: (decision: Decision) => Promise<T>,
  reserve: Spending | null = null,
): Promise<T> {
  const { spending, decision } = await draw(deps, first, reserve)
  try {
    const result = await attempt(decision)
    await giveBack(deps, spending)
    return result
  } catch (error) {
    // The attempt did not take place, so it is not a failure.
    if (error instanceof Refusal && error.code === 'unavailable') await giveBack(deps, spending)
    throw error
  }
}

/** Spends from `first` or, if that is empty, from every budget of `reserve`. Refuses if one of them is empty, too. */
export async function spendOrReserve(deps: Needs, first: Spending, reserve: readonly Spending[] | null): Promise<void> {
  const decision = await ask(deps, first)
  if (decision.allowed || reserve === null) requireBudget(deps, first, decision)
  else for (const one of reserve) requireBudget(deps, one, await ask(deps, one))
}

export async function giveBack(deps: Needs, spending: Spending): Promise<void> {
  await deps.budgets.giveBack(`${spending.name}:${spending.key}`, spending.budget)
}

async function draw(deps: Needs, first: Spending, reserve: Spending | null) {
  const decision = await ask(deps, first)
  if (decision.allowed || reserve === null) {
    requireBudget(deps, first, decision)
    return { spending: first, decision }
  }
  const fromReserve = await ask(deps, reserve)
  requireBudget(deps, reserve, fromReserve)
  return { spending: reserve, decision: fromReserve }
}

function requireBudget(deps: Needs, spending: Spending, decision: Decision): void {
  if (decision.allowed) return
  deps.metrics.rateLimited.inc({ budget: spending.name })
  throw new Refusal('rate_limit_exceeded', { retryAfterSeconds: decision.retryAfterSeconds })
}

const ask = (deps: Needs, spending: Spending): Promise<Decision> =>
  deps.budgets.spend(`${spending.name}:${spending.key}`, spending.budget, deps.clock.now(), spending.amount)
