// What somebody changes at a till, for its realm's audit trail to say: as often as a hand does it.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import type { Budget } from '../../domain/rate.ts'
import { principalId } from '../../domain/tenant/principal.ts'
import { spendBudget } from '../bounds/budget.ts'
import { principalOf, withScope } from '../principal.ts'

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
