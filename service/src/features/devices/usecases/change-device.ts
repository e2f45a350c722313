// Changes a device's name and templates without a new pairing. The change applies from the next request on.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { instantOf } from '../../../platform/world.ts'
import { type Device, isDeviceId } from '../domain/device.ts'
import { changeDevice as store } from '../store/devices.ts'

interface DeviceChange {
  readonly realm: Realm
  readonly deviceId: string
  readonly name: string
  readonly allowedTemplates: readonly string[]
  readonly actor: AuditActor
}

export async function changeDevice(
  deps: Pick<Deps, 'db' | 'clock' | 'audit'>,
  { realm, deviceId: id, name, allowedTemplates, actor }: DeviceChange,
): Promise<Device> {
  if (!isDeviceId(id)) throw new Refusal('device_not_found')
  return deps.db.transaction(async (tx) => {
    const changed = await store(tx, realm, { id, name, allowedTemplates })
    if (changed === null) throw new Refusal('device_not_found')
    const object = { type: 'device', id }
    const event = { action: 'device.changed', actor, object } as const
    const details = { name, allowed_templates: [...allowedTemplates] }
    await deps.audit.record(tx, realm, { now: instantOf(deps.clock.now()), ...event, details })
    return changed
  })
}
