// Job: opens copied and verified tenants that their old installation has released, if the move command was killed.

import type { Deps } from '../../../../deps.ts'
import type { Diagnosis } from '../../../../platform/diagnosis.ts'
import { instantOf } from '../../../../platform/world.ts'
import { findArrivingAcrossTenants, open } from '../../store/closings.ts'
import { settleAccounts } from '../../store/moved-accounts.ts'
import { MoveRefused } from './copy-rows.ts'
import { type Asking, isHandedOver, isVerified, type Opening } from './whereabouts.ts'

type Needs = Opening & Asking & Pick<Deps, 'log'>

export async function openArrivedTenants(deps: Needs, stopped: AbortSignal): Promise<void> {
  for (const tenant of await findArrivingAcrossTenants(deps.db)) {
    stopped.throwIfAborted()
    // An unverified copy is never opened.
    if (!(await isVerified(deps, tenant.id)) || !(await isHandedOver(deps, tenant))) continue
    await openHere(deps, tenant.id)
    deps.log.warn('a tenant that has moved here was opened: run `vidimus tenant move switch` again for the log', {
      tenant: tenant.id,
    })
  }
}

/** Refuses an unverified copy. The caller has checked that the old installation has released the tenant. */
export async function openHere(deps: Opening, tenantId: string): Promise<void> {
  if (!(await isVerified(deps, tenantId))) throw new MoveRefused('an audit trail has no MAC of this installation')
  const now = instantOf(deps.clock.now())
  await deps.db.transaction(async (tx) => {
    if (!(await open(tx, tenantId, now))) return
    await settleAccounts(tx, tenantId)
    await deps.audit.recordOnBoth(tx, tenantId, {
      now,
      action: 'tenant.moved',
      actor: { type: 'operator', id: 'cli' },
      object: { type: 'tenant', id: tenantId },
    })
  })
}

/**
 * Lists verified copies that are not open. The job opens them within seconds, unless the move was not decided, or the
 * job cannot reach the old installation.
 */
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
