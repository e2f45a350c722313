// The verification a wallet speaks of: found by its id, still open, with the key its answer is encrypted to.

import type { KeyObject } from 'node:crypto'
import { type EncryptionKey, encryptionKeyOfPoint, type JsonObject } from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { isVerificationId } from '../../domain/ids.ts'
import { openEphemeralKey, provenPoint } from '../../domain/verification/ephemeral-key.ts'
import { statusAt } from '../../domain/verification/verification.ts'
import type { AskedVerification } from '../../store/verifications/columns.ts'
import { type OfferedVerification, readAsked, readOffered } from './read-together.ts'

export type { AskedVerification, OfferedVerification }

/** 404 for what is not there, 409 once there is a response, 410 past the end: in this order (spec 3.1). */
export async function findOpen(
  deps: Pick<Deps, 'db' | 'lanes' | 'sealer' | 'clock'>,
  id: string,
): Promise<AskedVerification> {
  const asked = await findAsked(deps, id)
  demandOpen(deps, asked)
  return asked
}

/** Open or not. */
export async function findAsked(deps: Pick<Deps, 'db' | 'lanes' | 'sealer'>, id: string): Promise<AskedVerification> {
  const asked = isVerificationId(id) ? await readAsked(deps, id) : null
  if (asked === null) throw new Refusal('session_not_found')
  return asked
}

/** Open or not, with its offer. */
export async function findOffered(
  deps: Pick<Deps, 'db' | 'lanes' | 'sealer'>,
  id: string,
): Promise<OfferedVerification> {
  const offered = isVerificationId(id) ? await readOffered(deps, id) : null
  if (offered === null) throw new Refusal('session_not_found')
  return offered
}

export function demandOpen(deps: Pick<Deps, 'clock'>, asked: AskedVerification): void {
  const status = statusAt(asked, deps.clock.now())
  if (status === 'expired') throw new Refusal('session_expired')
  if (status !== 'pending') throw new Refusal('session_already_responded')
}

/** The public half, for the request; null where the response is asked for in clear. */
export function encryptionJwkOf(deps: Pick<Deps, 'sealer'>, asked: AskedVerification): JsonObject | null {
  const stored = storedKey(asked)
  return stored === null ? null : encryptionKeyOfPoint(provenPoint(deps.sealer, stored, asked)).jwk
}

export interface OpenedEncryption extends Omit<EncryptionKey, 'jwk'> {
  readonly privateKey: KeyObject
}

/** Both halves, for the response. */
export function openEncryption(deps: Pick<Deps, 'sealer'>, asked: AskedVerification): OpenedEncryption | null {
  const stored = storedKey(asked)
  if (stored === null) return null
  const { point, privateKey } = openEphemeralKey(deps.sealer, stored, asked)
  const { kid, thumbprint } = encryptionKeyOfPoint(point)
  return { privateKey, kid, thumbprint }
}

function storedKey({ responseMode, encryptionKey }: AskedVerification): Buffer | null {
  if (responseMode === 'direct_post') return null
  // Without its key an encrypted response could only be read as one in clear: never that.
  if (encryptionKey === null) throw new Error('bug: a pending verification has lost its encryption key')
  return encryptionKey
}
