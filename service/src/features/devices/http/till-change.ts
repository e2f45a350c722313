// Limits how often a till can write to the store: about as often as a person can tap.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { principalOf, withScope } from '../../../core/http/principal.ts'
import { principalId } from '../../../core/tenants/domain/principal.ts'
import type { Deps } from '../../../deps.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import type { Budget } from '../../../platform/rate.ts'

const CHANGES: Budget = { perSecond: 1 / 10, burst: 20 }
export const TILL_BODY_BYTES_MAX = 1024

export const withTill = (deps: Deps) => withScope(deps, 'verifications:create')

export function withTillChange(deps: Deps) {
  const till = withTill(deps)
  const spendChange = async (request: FastifyRequest, reply: FastifyReply) => {
    const key = principalId(principalOf(request))
    await spendBudget(deps, reply, { name: 'till_change', key, budget: CHANGES })
  }
  return { ...till, onRequest: [till.onRequest, spendChange] }
}
