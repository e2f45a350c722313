// Derives the claims of the signed request in a browser offer, so that a receipt can name the request.

import { hash } from 'node:crypto'
import { type SignedDcApiRequest, signedDcApiClaims } from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { type CanonicalValue, canonicalJson } from '../../../../platform/canonical-json.ts'
import { millisecondsOf } from '../../../../platform/world.ts'
import { openTransaction } from '../../../transactions/store/sealed.ts'
import { askingOrigin } from '../../domain/verification.ts'
import { testRelaxations } from './dc-api-protocols.ts'
import { offeredJwkOf, type WalletVerification } from './wallet-verification.ts'

type Needs = Pick<Deps, 'db' | 'config' | 'zkVerifier' | 'anchors' | 'clock'>

/** Leaves out the time of signing, and the registration, which a receipt names separately. */
export async function offeredRequest(
  deps: Needs,
  verification: WalletVerification,
): Promise<Omit<SignedDcApiRequest, 'issuedAt' | 'verifierInfo'>> {
  const { nonce, clientId } = verification
  return {
    clientId,
    nonce,
    // A browser offer is made before any wallet says that it supports proofs.
    query: verification.query,
    encryptionJwk: testRelaxations(deps, verification).clear ? null : offeredJwkOf(deps, verification),
    transaction: openTransaction(deps.db, verification).map(({ text }) => text),
    expectedOrigins: [askingOrigin(verification, deps.config.baseUrl)],
    // Rounded up: the request must not expire before the verification.
    expiresAt: Math.ceil(millisecondsOf(verification.expiresAt) / 1000),
  }
}

/** SHA-256, base64url, over the claims as canonical JSON. The same for every offer of one verification. */
export async function offeredHash(deps: Needs, verification: WalletVerification): Promise<string> {
  const request = await offeredRequest(deps, verification)
  // The time of signing does not matter, because `iat` is left out.
  const { iat: _, ...claims } = signedDcApiClaims({ ...request, issuedAt: request.expiresAt - 1 })
  return hash('sha256', canonicalJson(claims as unknown as CanonicalValue), 'base64url')
}
