// Unpairs a till at the till itself: all its tokens become invalid, as if its merchant had revoked it.

import { actorOf, type Principal } from '../../../core/tenants/domain/principal.ts'
import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { revokeDevice } from '../store/devices.ts'
import { endPendingOfDevice } from './end-pending.ts'
import { deviceOf, recordOfDevice } from './record-of-device.ts'

/** Recorded once: the second of two concurrent calls finds it revoked. */
export async function unpairDevice(deps: Pick<Deps, 'db' | 'clock' | 'audit'>, principal: Principal): Promise<void> {
  const device = deviceOf(principal)
  const now = instantOf(deps.clock.now())
  await deps.db.transaction(async (tx) => {
    const revoked = await revokeDevice(tx, device, { id: device.deviceId, at: now, reason: 'merchant' })
    if (revoked !== null) await recordOfDevice(deps, tx, device, { action: 'device.revoked', now })
  })
  await endPendingOfDevice(deps, device, device.deviceId, actorOf(device))
}
