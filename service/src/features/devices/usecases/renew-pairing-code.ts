// Gives an unpaired device a new pairing code. The old code stops working.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { instantOf } from '../../../platform/world.ts'
import { type Device, isDeviceId } from '../domain/device.ts'
import { showPairingCode } from '../domain/pairing-code.ts'
import { loadDevice, replacePairingCode } from '../store/devices.ts'
import { findFreeCode } from './register-device.ts'

interface Renewal {
  readonly realm: Realm
  readonly deviceId: string
  readonly pairingTtlSeconds: number
  readonly actor: AuditActor
}

export async function renewPairingCode(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'derivedKeys' | 'audit'>,
  { realm, deviceId: id, pairingTtlSeconds, actor }: Renewal,
): Promise<{ device: Device; pairingCode: string }> {
  if (!isDeviceId(id)) throw new Refusal('device_not_found')
  const nowMs = deps.clock.now()
  const expiresAt = instantOf(nowMs + pairingTtlSeconds * 1000)
  return deps.db.transaction(async (tx) => {
    const { name } = await requireUnpaired(tx, realm, id)
    const { code, found: device } = await findFreeCode(deps, async (hash) => {
      const renewed = await replacePairingCode(tx, realm, { id, hash, expiresAt })
      // The device was paired or revoked in the meantime, or another device has this code.
      if (renewed === null) await requireUnpaired(tx, realm, id)
      return renewed
    })
    const object = { type: 'device', id }
    const event = { action: 'device.code_renewed', actor, object, details: { name } } as const
    await deps.audit.record(tx, realm, { now: instantOf(nowMs), ...event })
    return { device, pairingCode: showPairingCode(code) }
  })
}

async function requireUnpaired(tx: Tx, realm: Realm, id: string): Promise<Device> {
  const device = await loadDevice(tx, realm, id)
  if (device === null) throw new Refusal('device_not_found')
  if (device.status === 'pending') return device
  throw new Refusal('invalid_request', { message: 'Only a device that is not paired can get a new pairing code.' })
}
