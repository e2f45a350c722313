// Records a device's actions on the audit trail of its realm.

import type { AuditAction } from '../../../core/ports/audit.ts'
import { actorDetails, actorOf, type DevicePrincipal, type Principal } from '../../../core/tenants/domain/principal.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

export function deviceOf(principal: Principal): DevicePrincipal {
  if (principal.kind === 'device') return principal
  throw new Refusal('insufficient_scope', { message: 'Only a device may do that.' })
}

/** `deviceId` is the affected device; if absent, the acting one. */
export async function recordOfDevice(
  deps: Pick<Deps, 'audit'>,
  tx: Tx,
  device: DevicePrincipal,
  { action, now, deviceId = device.deviceId }: { action: AuditAction; now: Instant; deviceId?: string },
): Promise<void> {
  await deps.audit.record(tx, device, {
    now,
    action,
    actor: actorOf(device),
    object: { type: 'device', id: deviceId },
    details: actorDetails(device),
  })
}
