// Sign-ins that a network has begun and not finished: counted by tenant and environment, for they spend the tenant's day.

import type { FastifyRequest } from 'fastify'
import type { QuotaClient } from '../../domain/oidc/client.ts'
import { signInsOfNetwork } from '../../domain/tenant/quota.ts'
import { realmName } from '../../domain/tenant/realm.ts'
import { addressBucket } from '../address.ts'
import type { Spending } from '../bounds/budget.ts'

const DAY_SECONDS = 86_400

/** Given back when the proof was given: many who share an address and finish do not stand in each other's way. */
export function unfinishedFrom(request: FastifyRequest, { client, dailyQuota }: QuotaClient): Spending {
  const burst = signInsOfNetwork(dailyQuota)
  return {
    name: 'oidc_unfinished',
    key: `${addressBucket(request.ip, 48)} ${realmName(client)}`,
    budget: { perSecond: burst / DAY_SECONDS, burst },
  }
}
