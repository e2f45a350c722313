// A till says that kiosk mode got its PIN, or was left with it. The PIN stays on the tablet: this is the till's word, for the trail.

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
