// Where a tenant is served: what this installation knows, and what the other one's public address says.

import type { Deps } from '../../../../deps.ts'
import { request } from '../../../../platform/egress/client.ts'
import { ENVIRONMENTS } from '../../../../platform/world.ts'
import { isTrailGuarded } from '../../../audit/index.ts'
import { type ArrivingTenant, hasArrived } from '../../store/closings.ts'

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
  const { path, answer } = await ask(deps, movedFrom, `/oidc/${id}/live/.well-known/openid-configuration`)
  return answer?.status === 308 && answer.headers.location === `${deps.config.baseUrl}${path}`
}

/** The answer of this installation to the question of `isOpenAt`. */
export const isArrivedHere = ({ db }: Pick<Deps, 'db'>, tenantId: string): Promise<boolean> => hasArrived(db, tenantId)

/** Only the installation where the tenant has arrived and was opened says so. */
export async function isOpenAt(deps: Asking, address: string, tenantId: string): Promise<boolean> {
  const { answer } = await ask(deps, address, `/arrived/${tenantId}`)
  return answer?.status === 200 && isArrival(answer.body)
}

/** A page of another server at that address may say 200 too. */
function isArrival(body: Uint8Array): boolean {
  try {
    const read: unknown = JSON.parse(Buffer.from(body).toString('utf8'))
    return typeof read === 'object' && read !== null && 'arrived' in read && read.arrived === true
  } catch {
    return false
  }
}

async function ask({ egress, config, random }: Asking, address: string, route: string) {
  // The random part keeps caches out.
  const path = `${route}?at=${Buffer.from(random(12)).toString('hex')}`
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
