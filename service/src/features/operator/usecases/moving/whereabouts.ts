// Where a tenant is served: what this installation knows, and what the other one's public address says.

import type { Deps } from '../../../../deps.ts'
import { request } from '../../../../platform/egress/client.ts'
import { ENVIRONMENTS } from '../../../../platform/world.ts'
import { isTrailGuarded } from '../../../audit/index.ts'
import type { ArrivingTenant } from '../../store/closings.ts'

export type Opening = Pick<Deps, 'db' | 'clock' | 'audit'>
export type Asking = Pick<Deps, 'egress' | 'config' | 'random'>

const ANSWER_BYTES_MAX = 10_000
const ANSWER_MS_MAX = 5_000

/** The move gives the copied trails MACs of this installation as its last step before the decision; each new copy removes them. */
export async function isVerified(deps: Opening, tenantId: string): Promise<boolean> {
  for (const environment of ENVIRONMENTS) if (!(await isTrailGuarded(deps, { tenantId, environment }))) return false
  return true
}

/**
 * The old installation redirects to this one from its decision on, for good; before, it serves the tenant or answers 503. Everything
 * but this redirect means that it may serve the tenant.
 */
export async function isGivenAway(deps: Asking, { id, movedFrom }: ArrivingTenant): Promise<boolean> {
  const { path, answer } = await ask(deps, movedFrom, id)
  return answer?.status === 308 && answer.headers.location === `${deps.config.baseUrl}${path}`
}

/** Before it is opened there, the other installation answers 503. */
export async function isServedAt(deps: Asking, address: string, tenantId: string): Promise<boolean> {
  const { answer } = await ask(deps, address, tenantId)
  return answer?.status === 200
}

async function ask({ egress, config, random }: Asking, address: string, tenantId: string) {
  // The random part keeps caches out.
  const path = `/oidc/${tenantId}/live/.well-known/openid-configuration?at=${Buffer.from(random(12)).toString('hex')}`
  // Without TLS anyone on the path could answer, and two installations would serve the tenant.
  if (config.production && !address.startsWith('https:')) return { path, answer: null }
  const answer = await request(egress.live, {
    method: 'GET',
    url: `${address}${path}`,
    bodyBytesMax: ANSWER_BYTES_MAX,
    overflow: 'truncate',
    limits: { totalMilliseconds: ANSWER_MS_MAX },
  })
  return { path, answer: answer.outcome === 'answered' ? answer : null }
}
