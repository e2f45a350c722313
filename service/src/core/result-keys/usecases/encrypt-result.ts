// Encrypts a verification's claims to the merchant, in the process that verified them, before anything is written.

import type { Deps } from '../../../deps.ts'
import type { Sealing } from '../../../platform/postgres/db.ts'
import { verdictOf } from '../../verifications/domain/verdict.ts'
import type { VerificationResult } from '../../verifications/domain/verification.ts'
import type { WalletVerification } from '../../verifications/store/columns.ts'
import { openResultKey } from '../store/result-keys.ts'
import { writeMerchantJwe } from './merchant-jwe.ts'

/**
 * Returns the result unchanged if the merchant has no proven key. Otherwise `claims` is a JWE with all claims. The
 * outcome of checks, and yes or no for tills, stay readable.
 */
export function encryptResult(
  deps: Pick<Deps, 'random'> & { readonly db: Sealing },
  verification: Pick<WalletVerification, 'id' | 'tenantId' | 'environment' | 'resultKey' | 'template'>,
  result: VerificationResult,
): VerificationResult {
  const { resultKey } = verification
  if (resultKey === null || result.outcome === 'failed') return result
  const { claims, credentials } = result
  const text = JSON.stringify({ claims, credentials: credentials.map((one) => ({ claims: one.claims })) })
  const point = openResultKey(deps.db, verification, resultKey)
  const terms = { point, type: 'vidimus-result+jwe', verificationId: verification.id }
  const jwe = writeMerchantJwe(terms, text, deps.random)
  return {
    outcome: 'completed',
    claims: { $jwe: jwe },
    credentials: credentials.map((one) => ({ ...one, claims: {} })),
    verdict: verification.template === null ? null : (result.verdict ?? verdictOf(claims)),
    // Stays readable: the merchant wrote the transaction and needs it as proof of the agreement.
    ...(result.transaction === undefined ? {} : { transaction: result.transaction }),
  }
}
