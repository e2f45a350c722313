// Lists the devices of a realm, newest first.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import type { Device } from '../domain/device.ts'
import { listDevices as loadDevices } from '../store/devices.ts'

export async function listDevices(deps: Pick<Deps, 'db'>, realm: Realm): Promise<Device[]> {
  return loadDevices(deps.db, realm)
}
