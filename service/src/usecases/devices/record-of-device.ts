// What a device did of itself, on the chain of its realm.

import type { Deps } from '../../deps.ts'
import type { AuditAction } from '../../domain/audit/entry.ts'
import { Refusal } from '../../domain/errors.ts'
import { actorDetails, actorOf, type DevicePrincipal, type Principal } from '../../domain/tenant/principal.ts'
import type { Instant } from '../../domain/world.ts'
import type { Tx } from '../../store/postgres/db.ts'
import { recordEvent } from '../audit/record-event.ts'

export function deviceOf(principal: Principal): DevicePrincipal {
  if (principal.kind === 'device') return principal
  throw new Refusal('insufficient_scope', { message: 'Only a device may do that.' })
}

/** `deviceId`: which device it happened to; absent: the one that did it. */
export async function recordOfDevice(
  deps: Pick<Deps, 'random' | 'headMacs'>,
  tx: Tx,
  device: DevicePrincipal,
  { action, now, deviceId = device.deviceId }: { action: AuditAction; now: Instant; deviceId?: string },
): Promise<void> {
  await recordEvent(deps, tx, device, {
    now,
    action,
    actor: actorOf(device),
    object: { type: 'device', id: deviceId },
    details: actorDetails(device),
  })
}
