// Registers a venue device and returns its pairing code, once.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { newDeviceId } from '../../../platform/ids.ts'
import { type Environment, instantOf, millisecondsOf } from '../../../platform/world.ts'
import type { Device } from '../domain/device.ts'
import { hashPairingCode, mintPairingCode, showPairingCode } from '../domain/pairing-code.ts'
import { countDevices, insertDevice, makeRoomForDevice } from '../store/devices.ts'

/**
 * A random code is in use with a probability of one in a million. Several collisions in a row mean a broken generator.
 */
const CODE_ATTEMPTS_MAX = 5

interface NewDevice {
  readonly tenantId: string
  readonly environment: Environment
  readonly name: string
  readonly allowedTemplates: readonly string[]
  readonly pairingTtlSeconds: number
  readonly actor: AuditActor
}

export async function registerDevice(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'derivedKeys' | 'audit' | 'config'>,
  input: NewDevice,
): Promise<{ device: Device; pairingCode: string }> {
  const now = instantOf(deps.clock.now())
  const id = newDeviceId(deps.random)
  const event = {
    action: 'device.created',
    actor: input.actor,
    object: { type: 'device', id },
    details: { name: input.name, allowed_templates: [...input.allowedTemplates] },
  } as const
  return deps.db.transaction(async (tx) => {
    await makeRoomForDevice(tx, input, deps.config.devicesMax)
    const trail = await deps.audit.lock(tx, input, now)
    // Counts while the audit trail is locked, so that the second of two concurrent calls sees the first.
    if ((await countDevices(tx, input)) >= deps.config.devicesMax) throw new Refusal('device_limit_reached')
    const entries = deps.audit.prepare(trail, { now, events: [event] })
    const [entry] = entries.entries
    if (entry === undefined) throw new Error('bug: an event without its entry')
    const device: Device = {
      id,
      tenantId: input.tenantId,
      environment: input.environment,
      name: input.name,
      status: 'pending',
      allowedTemplates: input.allowedTemplates,
      // The time of an audit entry is unique in its realm, so that lists have a fixed order.
      createdAt: entry.at,
      pairingExpiresAt: instantOf(millisecondsOf(entry.at) + input.pairingTtlSeconds * 1000),
      enrolledAt: null,
      lastSeenAt: null,
      revokedAt: null,
      revokedReason: null,
    }
    const { code } = await findFreeCode(deps, async (hash) => (await insertDevice(tx, device, hash)) || null)
    await deps.audit.write(tx, entries)
    return { device, pairingCode: showPairingCode(code) }
  })
}

/** `take` stores the code's hash, and returns null if another device has it. */
export async function findFreeCode<T>(
  deps: Pick<Deps, 'random' | 'derivedKeys'>,
  take: (hash: Buffer) => Promise<T | null>,
): Promise<{ readonly code: string; readonly found: T }> {
  const pepper = deps.derivedKeys.derive(PAIRING_LABEL, 32)
  for (let attempt = 0; attempt < CODE_ATTEMPTS_MAX; attempt += 1) {
    const code = mintPairingCode(deps.random)
    const found = await take(hashPairingCode(pepper, code))
    if (found !== null) return { code, found }
  }
  throw new Error('bug: no free pairing code was found')
}

const PAIRING_LABEL = 'pairing-code-v1'

/** Returns the possible stored hashes of a code, which may be from before a change of the master key. */
export const pairingHashes = ({ derivedKeys }: Pick<Deps, 'derivedKeys'>, code: string): Buffer[] =>
  derivedKeys.deriveReadable(PAIRING_LABEL, 32).map((pepper) => hashPairingCode(pepper, code))
