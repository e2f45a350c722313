// Builds the evidence of a verification and encrypts it to the merchant, in the process that verified it.

import { openResultKey } from '../../../core/result-keys/store/result-keys.ts'
import type { WalletVerification } from '../../../core/verifications/store/columns.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { type BundleFacts, contentOf, EVIDENCE_TYPE } from '../domain/bundle.ts'
import type { WrittenBundle } from '../outbound/bundle-writer.ts'

/** If the bundle cannot be written, the verification does not end: the wallet may answer again. */
export async function sealEvidence(
  { db, bundleWriter }: Pick<Deps, 'db' | 'bundleWriter'>,
  verification: Pick<WalletVerification, 'id' | 'tenantId' | 'environment' | 'resultKey'>,
  facts: BundleFacts,
): Promise<WrittenBundle> {
  const { id, resultKey } = verification
  if (resultKey === null) throw new Error('bug: evidence for a merchant without a key')
  const terms = { point: openResultKey(db, verification, resultKey), type: EVIDENCE_TYPE, verificationId: id }
  const written = await bundleWriter.write(verification, () => contentOf(facts), terms)
  if (written === null) throw new Refusal('unavailable', { retryAfterSeconds: 1, missing: 'room' })
  return written
}
