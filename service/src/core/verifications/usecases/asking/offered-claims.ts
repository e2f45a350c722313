// What the signed request of an offer to a browser says. It follows from the verification, so a receipt can name it although no offer
// is kept: everything but the time of signing, and the registration, which a receipt names by itself.

import { hash } from 'node:crypto'
import { type SignedDcApiRequest, signedDcApiClaims } from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { type CanonicalValue, canonicalJson } from '../../../../platform/canonical-json.ts'
import { millisecondsOf } from '../../../../platform/world.ts'
import { openTransaction } from '../../../transactions/store/sealed.ts'
import { askingOrigin } from '../../domain/verification.ts'
import { askedQuery } from './asked-query.ts'
import { type AskedVerification, offeredJwkOf } from './asked-verification.ts'
import { loosenedIn } from './dc-api-protocols.ts'

/** Without its time and its registration. */
type Needs = Pick<Deps, 'db' | 'config' | 'zkVerifier' | 'anchors' | 'clock'>

export async function offeredRequest(
  deps: Needs,
  asked: AskedVerification,
): Promise<Omit<SignedDcApiRequest, 'issuedAt' | 'verifierInfo'>> {
  const { nonce, clientId } = asked
  return {
    clientId,
    nonce,
    query: await askedQuery(deps, asked),
    encryptionJwk: loosenedIn(deps, asked).clear ? null : offeredJwkOf(deps, asked),
    transaction: openTransaction(deps.db, asked).map(({ text }) => text),
    expectedOrigins: [askingOrigin(asked, deps.config.baseUrl)],
    // Rounded up: the request must not end before the verification does.
    expiresAt: Math.ceil(millisecondsOf(asked.expiresAt) / 1000),
  }
}

/** SHA-256, base64url, over its claims as canonical JSON; the same of every offer of one verification. */
export async function offeredHash(deps: Needs, asked: AskedVerification): Promise<string> {
  const request = await offeredRequest(deps, asked)
  // Whichever time of signing: it is left out.
  const { iat: _, ...claims } = signedDcApiClaims({ ...request, issuedAt: request.expiresAt - 1 })
  return hash('sha256', canonicalJson(claims as unknown as CanonicalValue), 'base64url')
}
