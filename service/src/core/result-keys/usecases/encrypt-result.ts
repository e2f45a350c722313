// Encrypts a verification's claims to the merchant, in the process that verified them, before anything is written.

import { encryptJwe, recipientOf, thumbprintOf } from '@vidimus/engine'
import type { Deps } from '../../../deps.ts'
import type { Sealing } from '../../../platform/postgres/db.ts'
import { verdictOf } from '../../verifications/domain/verdict.ts'
import type { VerificationResult } from '../../verifications/domain/verification.ts'
import type { WalletVerification } from '../../verifications/store/columns.ts'
import { openResultKey } from '../store/result-keys.ts'

type Needs = Pick<Deps, 'random'> & { readonly db: Sealing }

/**
 * Unchanged if the merchant has no proven key. `claims` is the JWE, which includes those of each credential; the check
 * results of the credentials, and yes or no for tills, stay readable. A failed verification has no claims.
 */
export function encryptResult(
  deps: Needs,
  verification: Pick<WalletVerification, 'id' | 'tenantId' | 'environment' | 'resultKey' | 'outputs'>,
  result: VerificationResult,
): VerificationResult {
  const { resultKey } = verification
  if (resultKey === null || result.outcome === 'failed') return result
  const { claims, credentials } = result
  const text = JSON.stringify({ claims, credentials: credentials.map((one) => ({ claims: one.claims })) })
  const jwe = encryptToMerchant(deps, { ...verification, resultKey }, { type: 'vidimus-result+jwe', text })
  return {
    outcome: 'completed',
    claims: { $jwe: jwe },
    credentials: credentials.map((one) => ({ ...one, claims: {} })),
    verdict: verification.outputs === null ? null : verdictOf(claims),
    // The merchant's own words, and its proof of the agreement.
    ...(result.transaction === undefined ? {} : { transaction: result.transaction }),
  }
}

type Recipient = Pick<WalletVerification, 'id' | 'tenantId' | 'environment'> & {
  readonly resultKey: NonNullable<WalletVerification['resultKey']>
}

/** A JWE to the merchant's key. It does not decrypt for another verification. */
export function encryptToMerchant(
  deps: Needs,
  verification: Recipient,
  { type, text }: { readonly type: string; readonly text: string },
): string {
  const point = openResultKey(deps.db, verification, verification.resultKey)
  const key = recipientOf(point.x, point.y)
  const thumbprint = thumbprintOf({ kty: 'EC', crv: 'P-256', ...point })
  if (key === null || thumbprint === null) throw new Error('bug: a result key is not a point of its curve')
  const header = { typ: type, kid: Buffer.from(thumbprint).toString('base64url') }
  const terms = { key, encryption: 'A256GCM', header, partyVInfo: Buffer.from(verification.id, 'utf8') } as const
  return encryptJwe(Buffer.from(text, 'utf8'), terms, deps.random)
}
