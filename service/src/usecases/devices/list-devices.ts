// The devices of a tenant's environment, newest first.

import type { Deps } from '../../deps.ts'
import type { Device } from '../../domain/device/device.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { listDevices as loadDevices } from '../../store/devices/devices.ts'

export async function listDevices(deps: Pick<Deps, 'db'>, realm: Realm): Promise<Device[]> {
  return loadDevices(deps.db, realm)
}
