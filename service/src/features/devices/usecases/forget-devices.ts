// Deletes devices that were never paired, a week after their code expired.

import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { forgetLapsedDevicesAcrossTenants } from '../store/devices.ts'

const KEPT_MS = 7 * 86_400_000

export async function forgetDevices(deps: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  await forgetLapsedDevicesAcrossTenants(deps.db, instantOf(deps.clock.now() - KEPT_MS))
}
