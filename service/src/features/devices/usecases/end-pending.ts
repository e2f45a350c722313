// Cancels the pending verifications of a device that was revoked: a thief may have chosen where their results go.

import type { AuditActor, AuditEvent } from '../../../core/ports/audit.ts'
import type { DevicePrincipal } from '../../../core/tenants/domain/principal.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { instantOf } from '../../../platform/world.ts'
import { loadDevice } from '../store/devices.ts'
import { cancelPendingOfDevice } from '../store/pending-verifications.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'audit'>

const AT_ONCE = 100

export async function endPendingOfDevice(deps: Needs, realm: Realm, id: string, actor: AuditActor): Promise<void> {
  for (let ended = AT_ONCE; ended === AT_ONCE; ) {
    const now = instantOf(deps.clock.now())
    ended = await deps.db.transaction(async (tx) => {
      const cancelled = await cancelPendingOfDevice(tx, realm, { deviceId: id, at: now, limit: AT_ONCE })
      const events = cancelled.map(({ id, day }): AuditEvent => {
        return { action: 'verification.cancelled', actor, object: { type: 'verification', id }, day }
      })
      if (events.length > 0) await deps.audit.recordAll(tx, realm, { now, events })
      return events.length
    })
  }
}

/** Ends what a request of the device created after `endPendingOfDevice` had run. */
export async function requireActiveDevice(deps: Needs, device: DevicePrincipal): Promise<void> {
  if ((await loadDevice(deps.db, device, device.deviceId))?.status === 'active') return
  await endPendingOfDevice(deps, device, device.deviceId, { type: 'system', id: 'device-revoked' })
  throw new Refusal('invalid_api_key')
}
