// Exchanges a pairing code for a device's first token pair. All invalid codes get the same refusal.

import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Device } from '../domain/device.ts'
import { type MintedPair, mintPair, recordOf } from '../domain/token.ts'
import { consumePairingCode } from '../store/tokens.ts'
import { pairingHashes } from './register-device.ts'

export interface GrantedPair extends MintedPair {
  readonly device: Device
  readonly issuedAtMs: number
  readonly refreshExpiresAt: Instant
}

/** `code` comes from `parsePairingCode`. The same statements run for every invalid code. */
export async function enrollDevice(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'derivedKeys' | 'audit'>,
  code: string,
): Promise<GrantedPair> {
  const codeHashes = pairingHashes(deps, code)
  const minted = mintPair(deps.random)
  const nowMs = deps.clock.now()
  const pair = recordOf(minted, nowMs)
  return deps.db.transaction(async (tx) => {
    const issued = await consumePairingCode(tx, { codeHashes, pair })
    if (issued === null) throw new Refusal('invalid_pairing_code')
    const { device } = issued
    const event = {
      action: 'device.enrolled',
      actor: { type: 'device', id: device.id },
      object: { type: 'device', id: device.id },
      details: { actor_name: device.name },
    } as const
    await deps.audit.recordAll(tx, device, { now: pair.issuedAt, events: [event] })
    return { ...minted, ...issued, issuedAtMs: nowMs }
  })
}
