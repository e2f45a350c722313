// Reports a step of a pending verification to a callback of the Universal OID4VP API.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { isReported, type ReachedStep } from '../../../core/verifications/domain/universal-status.ts'
import type { Deps } from '../../../deps.ts'
import { newDeliveryId } from '../../../platform/ids.ts'
import { instantOf } from '../../../platform/world.ts'
import { insertStepDelivery } from '../store/deliveries.ts'

/** Never rejects: a failed report must not fail the request that reached the step. */
export async function reportStep(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'log'>,
  realm: Realm,
  { verificationId, universal, step }: ReachedStep,
): Promise<void> {
  if (universal === null || !isReported(universal, step)) return
  const delivery = {
    id: newDeliveryId(deps.random),
    verificationId,
    type: step,
    createdAt: instantOf(deps.clock.now()),
  }
  await insertStepDelivery(deps.db, realm, delivery).catch((error) =>
    deps.log.fault('a step of a verification was not reported', error, { tenant: realm.tenantId }),
  )
}
