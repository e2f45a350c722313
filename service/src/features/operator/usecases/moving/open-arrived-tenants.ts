// Opens a tenant that was copied here and verified, once the installation that it comes from has given it away. The command that
// moves does so itself; this job does if the command was killed in between.

import type { Deps } from '../../../../deps.ts'
import type { Diagnosis } from '../../../../platform/diagnosis.ts'
import { request } from '../../../../platform/egress/client.ts'
import { ENVIRONMENTS, instantOf } from '../../../../platform/world.ts'
import { isTrailGuarded } from '../../../audit/index.ts'
import { type ArrivingTenant, findArrivingAcrossTenants, open } from '../../store/closings.ts'
import { MoveRefused } from './copy-rows.ts'

type Opening = Pick<Deps, 'db' | 'clock' | 'audit'>
type Needs = Opening & Pick<Deps, 'egress' | 'config' | 'random' | 'log'>

const ANSWER_BYTES_MAX = 10_000
const ANSWER_MS_MAX = 5_000

export async function openArrivedTenants(deps: Needs, stopped: AbortSignal): Promise<void> {
  for (const tenant of await findArrivingAcrossTenants(deps.db)) {
    stopped.throwIfAborted()
    // Before the copy is verified there is nothing to ask for.
    if (!(await isVerified(deps, tenant.id)) || !(await isGivenAway(deps, tenant))) continue
    await openHere(deps, tenant.id)
    deps.log.warn('a tenant that has moved here was opened: run `vidimus tenant move switch` again for the log', {
      tenant: tenant.id,
    })
  }
}

/** Only for a tenant that its old installation has given away, with a copy that the move has verified. */
export async function openHere(deps: Opening, tenantId: string): Promise<void> {
  if (!(await isVerified(deps, tenantId)))
    throw new MoveRefused('an audit trail has no MAC of the installation it is in')
  const now = instantOf(deps.clock.now())
  await deps.db.transaction(async (tx) => {
    if (!(await open(tx, tenantId, now))) return
    await deps.audit.recordOnBoth(tx, tenantId, {
      now,
      action: 'tenant.moved',
      actor: { type: 'operator', id: 'cli' },
      object: { type: 'tenant', id: tenantId },
    })
  })
}

/** The move gives the copied trails MACs of this installation as its last step before the decision; each new copy removes them. */
async function isVerified(deps: Opening, tenantId: string): Promise<boolean> {
  for (const environment of ENVIRONMENTS) if (!(await isTrailGuarded(deps, { tenantId, environment }))) return false
  return true
}

/**
 * The old installation redirects to this one from its decision on, for good; before, it serves the tenant or answers 503. Everything
 * but this redirect means that it may serve the tenant.
 */
async function isGivenAway({ egress, config, random }: Needs, { id, movedFrom }: ArrivingTenant): Promise<boolean> {
  // Without TLS anyone on the path could answer, and two installations would serve the tenant.
  if (config.production && !movedFrom.startsWith('https:')) return false
  // The random part keeps caches out.
  const path = `/oidc/${id}/live/.well-known/openid-configuration?at=${Buffer.from(random(12)).toString('hex')}`
  const answer = await request(egress.live, {
    method: 'GET',
    url: `${movedFrom}${path}`,
    bodyBytesMax: ANSWER_BYTES_MAX,
    overflow: 'truncate',
    limits: { totalMilliseconds: ANSWER_MS_MAX },
  })
  return (
    answer.outcome === 'answered' && answer.status === 308 && answer.headers.location === `${config.baseUrl}${path}`
  )
}

/** The job opens such a tenant within seconds of the decision: here it was not decided, or the job cannot ask. */
export async function diagnoseArrivals(deps: Opening): Promise<Diagnosis[]> {
  const found: Diagnosis[] = []
  for (const { id, movedFrom } of await findArrivingAcrossTenants(deps.db)) {
    if (!(await isVerified(deps, id))) continue
    const finding = `${id} was copied here from ${movedFrom} and verified, and is not served here`
    const remedy = `at ${movedFrom}: run \`vidimus tenant move switch ${id} --to <file>\` again, or \`abort\``
    found.push({ area: 'moving', status: 'warning', finding, remedy })
  }
  return found
}
