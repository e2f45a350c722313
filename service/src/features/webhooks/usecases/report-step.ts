// Reports a step of a verification before its end, to a callback of the Universal OID4VP API that asked for it.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { isReported, type ReachedStep } from '../../../core/verifications/domain/universal-status.ts'
import type { Deps } from '../../../deps.ts'
import { newDeliveryId } from '../../../platform/ids.ts'
import { instantOf } from '../../../platform/world.ts'
import { insertStepDelivery } from '../store/deliveries.ts'

/** Never rejects: a step is no result, and its request must not fail because of it. */
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
