// Revokes a device: all its tokens are invalid from the next request on, on every replica.

import type { AuditActor, AuditEvent } from '../../../core/ports/audit.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { type Environment, instantOf } from '../../../platform/world.ts'
import { type Device, isDeviceId } from '../domain/device.ts'
import { loadDevice, revokeDevice as markRevoked } from '../store/devices.ts'
import { endPendingOfDevice } from './end-pending.ts'

/** Spec 3.2: revoking again returns the same device, and is recorded once. Also ends its pending verifications. */
export async function revokeDevice(
  deps: Pick<Deps, 'db' | 'clock' | 'audit'>,
  input: { tenantId: string; environment: Environment; deviceId: string; actor: AuditActor },
): Promise<Device> {
  if (!isDeviceId(input.deviceId)) throw new Refusal('device_not_found')
  const now = instantOf(deps.clock.now())
  const device = await deps.db.transaction(async (tx) => {
    const revoked = await markRevoked(tx, input, { id: input.deviceId, at: now, reason: 'merchant' })
    if (revoked === null) {
      const before = await loadDevice(tx, input, input.deviceId)
      if (before === null) throw new Refusal('device_not_found')
      return before
    }
    await deps.audit.record(tx, revoked, { now, ...revocationOf(revoked, input.actor) })
    return revoked
  })
  await endPendingOfDevice(deps, input, device.id, input.actor)
  return device
}

export function revocationOf(device: Device, actor: AuditActor): AuditEvent {
  return {
    action: 'device.revoked',
    actor,
    object: { type: 'device', id: device.id },
    details: { name: device.name, reason: device.revokedReason },
  }
}
