// Records a till's report that its kiosk PIN was set or used. The PIN itself stays on the tablet.

import type { Principal } from '../../../core/tenants/domain/principal.ts'
import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { deviceOf, recordOfDevice } from './record-of-device.ts'

export async function notePin(
  deps: Pick<Deps, 'db' | 'clock' | 'audit'>,
  principal: Principal,
  change: 'set' | 'removed',
): Promise<void> {
  const device = deviceOf(principal)
  const now = instantOf(deps.clock.now())
  await deps.db.transaction((tx) => recordOfDevice(deps, tx, device, { action: `device.pin_${change}`, now }))
}
