// Checks that a trusted provider signed a registration certificate and has not revoked it.

import { type JudgedRegistration, judgeRegistrationCertificate, type RegistrationReading } from '@vidimus/engine'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'

export type JudgingNeeds = Pick<Deps, 'anchors' | 'statusLists' | 'certificateChainCache' | 'clock'>

export async function judgeRegistration(
  deps: JudgingNeeds,
  realm: Realm,
  reading: Extract<RegistrationReading, { outcome: 'read' }>,
): Promise<JudgedRegistration> {
  const nowMs = deps.clock.now()
  const { environment } = realm
  return judgeRegistrationCertificate(reading, {
    anchors: await deps.anchors.find(realm, nowMs),
    cache: deps.certificateChainCache,
    now: Math.floor(nowMs / 1000),
    fetchStatus: (source, budget) =>
      deps.statusLists.find({ source, environment, nowMs, owner: realm.tenantId, budget }),
  })
}
