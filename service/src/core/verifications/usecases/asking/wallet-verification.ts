// Finds the verification that a wallet's request names, and the key that the wallet encrypts its answer to.

import type { KeyObject } from 'node:crypto'
import {
  type EncryptionKey,
  encryptionInfoOf,
  encryptionKeyOfPoint,
  isoQueryOf,
  type JsonObject,
} from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import { isVerificationId } from '../../../../platform/ids.ts'
import { isSignInRule } from '../../domain/browser-binding.ts'
import { type AnnexCSecrets, annexCSecretsOf, pointOf, responseKeyOf } from '../../domain/ephemeral-key.ts'
import { finishPathWithin } from '../../domain/sign-in-path.ts'
import { statusAt } from '../../domain/verification.ts'
import type { WalletVerification } from '../../store/columns.ts'
import { openEphemeralKey } from '../../store/ephemeral-keys.ts'
import { findWalletVerification } from '../../store/wallet-verifications.ts'

export type { WalletVerification }

export type FindingNeeds = Pick<Deps, 'db' | 'batcher' | 'clock'>

/** Refuses in this order (spec 3.1): 404 if it does not exist, 409 after a response, 410 after expiry. */
export async function findOpen(deps: FindingNeeds, id: string, evenIfMoved = false): Promise<WalletVerification> {
  const verification = await findForWallet(deps, id, evenIfMoved)
  requireOpen(deps, verification)
  return verification
}

/** Also finds verifications that are no longer open. */
export async function findForWallet(
  deps: Pick<Deps, 'db' | 'batcher'>,
  id: string,
  evenIfMoved = false,
): Promise<WalletVerification> {
  const verification = isVerificationId(id) ? await findWalletVerification(deps, id, evenIfMoved) : null
  if (verification === null) throw new Refusal('session_not_found')
  return verification
}

export function requireOpen(deps: Pick<Deps, 'clock'>, verification: WalletVerification): void {
  const status = statusAt(verification, deps.clock.now())
  if (status === 'expired') throw new Refusal('session_expired')
  if (status !== 'pending') throw new Refusal('session_already_responded')
}

/** The facts that decide which browser may answer. */
export function bindingFacts({ config }: Pick<Deps, 'config'>, verification: WalletVerification) {
  const { browserBinding, browserHash, origin, redirectUrl, settings } = verification
  // Also checks the rule, because the redirect of a verification from another installation leads to that one.
  const isSignIn = isSignInRule(browserBinding) || finishPathWithin(redirectUrl, config.baseUrl) !== null
  return { browserBinding, browserHash, isSignIn, hasOwnOrigin: origin !== null, setting: settings.browserBinding }
}

/** The public key for the request; null if the response is requested unencrypted. */
export function encryptionJwkOf(deps: Pick<Deps, 'db'>, verification: WalletVerification): JsonObject | null {
  return isInClear(verification) ? null : offeredJwkOf(deps, verification)
}

/** The public key for offers to browsers. The caller checks their separate setting for encryption. */
export function offeredJwkOf(deps: Pick<Deps, 'db'>, verification: WalletVerification): JsonObject {
  return encryptionKeyOfPoint(pointOf(openEphemeralKey(deps.db, verification).point)).jwk
}

export interface OpenedEncryption extends Omit<EncryptionKey, 'jwk'> {
  readonly privateKey: KeyObject
}

/** The key pair, for the response. */
export function openEncryption(deps: Pick<Deps, 'db'>, verification: WalletVerification): OpenedEncryption | null {
  return isInClear(verification) ? null : openOfferedEncryption(deps, verification)
}

/** The key pair for answers of browsers. */
export function openOfferedEncryption(deps: Pick<Deps, 'db'>, verification: WalletVerification): OpenedEncryption {
  const { point, privateKey } = responseKeyOf(openEphemeralKey(deps.db, verification))
  const { kid, thumbprint } = encryptionKeyOfPoint(point)
  return { privateKey, kid, thumbprint }
}

export interface OfferedAnnexC {
  readonly secrets: AnnexCSecrets
  /** The exact text that is sent, because the transcript covers it. */
  readonly encryptionInfo: string
}

/** False if the query has no ISO form, which is always so with a transaction. */
export const canUseAnnexC = ({ query, sealedTransaction }: WalletVerification) =>
  sealedTransaction === null && isoQueryOf(query).outcome === 'expressible'

/** Returns the same values until the verification ends; null if Annex C is not used. */
export function annexCOf(deps: Pick<Deps, 'db'>, verification: WalletVerification): OfferedAnnexC | null {
  if (!canUseAnnexC(verification)) return null
  const secrets = annexCSecretsOf(openEphemeralKey(deps.db, verification))
  return secrets === null ? null : { secrets, encryptionInfo: encryptionInfoOf(secrets.nonce, secrets.point) }
}

/** Applies to responses that wallets post, not to answers of browsers. */
const isInClear = ({ responseMode }: WalletVerification) => responseMode === 'direct_post'
