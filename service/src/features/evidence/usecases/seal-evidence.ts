// Builds the evidence of a verification and encrypts it to the merchant, in the process that verified it.

import { hash } from 'node:crypto'
import { encryptToMerchant } from '../../../core/result-keys/usecases/encrypt-result.ts'
import type { WalletVerification } from '../../../core/verifications/store/columns.ts'
import type { Deps } from '../../../deps.ts'
import { type BundleFacts, EVIDENCE_TYPE, renderBundle } from '../domain/bundle.ts'

interface SealedBundle {
  readonly jwe: string
  /** The hash of the JWE (base64url), which is in the receipt. */
  readonly sha256: string
}

export function sealEvidence(
  deps: Pick<Deps, 'db' | 'random'>,
  verification: Pick<WalletVerification, 'id' | 'tenantId' | 'environment' | 'resultKey'>,
  facts: BundleFacts,
): SealedBundle {
  const { resultKey } = verification
  if (resultKey === null) throw new Error('bug: evidence for a merchant without a key')
  const jwe = encryptToMerchant(
    deps,
    { ...verification, resultKey },
    { type: EVIDENCE_TYPE, text: renderBundle(facts) },
  )
  return { jwe, sha256: hash('sha256', jwe, 'base64url') }
}
