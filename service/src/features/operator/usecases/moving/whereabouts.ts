// Finds out which installation serves a tenant: from the store, and from the other installation's public address.

import type { Deps } from '../../../../deps.ts'
import { request } from '../../../../platform/egress/client.ts'
import { ENVIRONMENTS } from '../../../../platform/world.ts'
import { isTrailGuarded } from '../../../audit/index.ts'
import { type ArrivingTenant, hasArrived } from '../../store/closings.ts'

export type Opening = Pick<Deps, 'db' | 'clock' | 'audit'>
export type Asking = Pick<Deps, 'egress' | 'config' | 'random'>

const ANSWER_BYTES_MAX = 10_000
const ANSWER_MS_MAX = 5_000

/**
 * Whether the copied trails have MACs of this installation. The move writes them last, and each new copy removes them.
 */
export async function isVerified(deps: Opening, tenantId: string): Promise<boolean> {
  for (const environment of ENVIRONMENTS) if (!(await isTrailGuarded(deps, { tenantId, environment }))) return false
  return true
}

/**
 * After its decision, the old installation always redirects to this one. Any other response means that it may still
 * serve the tenant.
 */
export async function isHandedOver(deps: Asking, { id, movedFrom }: ArrivingTenant): Promise<boolean> {
  const { path, answer } = await ask(deps, movedFrom, `/oidc/${id}/live/.well-known/openid-configuration`)
  return answer?.status === 308 && answer.headers.location === `${deps.config.baseUrl}${path}`
}

/** The response to `isOpenAt` of another installation. */
export const isArrivedHere = ({ db }: Pick<Deps, 'db'>, tenantId: string): Promise<boolean> => hasArrived(db, tenantId)

/** Asks another installation whether the tenant has arrived there and was opened. */
export async function isOpenAt(deps: Asking, address: string, tenantId: string): Promise<boolean> {
  const { answer } = await ask(deps, address, `/arrived/${tenantId}`)
  return answer?.status === 200 && isArrival(answer.body)
}

/** Another server at that address may respond 200, too. */
function isArrival(body: Uint8Array): boolean {
  try {
    const read: unknown = JSON.parse(Buffer.from(body).toString('utf8'))
    return typeof read === 'object' && read !== null && 'arrived' in read && read.arrived === true
  } catch {
    return false
  }
}

async function ask({ egress, config, random }: Asking, address: string, route: string) {
  // The random part bypasses caches.
  const path = `${route}?at=${Buffer.from(random(12)).toString('hex')}`
  // Without TLS, an attacker on the path could answer, and two installations would serve the tenant.
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
