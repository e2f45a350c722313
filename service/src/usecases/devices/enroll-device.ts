// A device exchanges its pairing code for its first token pair. Wrong, used, lapsed and lost codes are one refusal.

import type { Deps } from '../../deps.ts'
import type { Device } from '../../domain/device/device.ts'
import { type MintedPair, mintPair, recordOf } from '../../domain/device/token.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/world.ts'
import { appendAudit } from '../../store/audit/chain.ts'
import { consumePairingCode } from '../../store/devices/tokens.ts'
import { pairingHashes } from './register-device.ts'

export interface GrantedPair extends MintedPair {
  readonly device: Device
  readonly issuedAtMs: number
  readonly refreshExpiresAt: Instant
}

/** `code` is what parsePairingCode made of the text that was typed. The same statements run whatever is wrong with it. */
export async function enrollDevice(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'sealer' | 'headMacs'>,
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
    await appendAudit(tx, device, { now: pair.issuedAt, random: deps.random, headMacs: deps.headMacs, events: [event] })
    return { ...minted, ...issued, issuedAtMs: nowMs }
  })
}
