// Reads the receipt of a verification for its tenant, also after an erasure.

import { onlyCreatedBy, type Principal } from '../../../core/tenants/domain/principal.ts'
import { loadVerification } from '../../../core/verifications/store/verifications.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { isUnsigned } from '../domain/receipt/receipt.ts'
import { loadReceipt, type StoredReceipt } from '../store/receipts.ts'

/** Verifications that are pending, or of another tenant or environment, count as not found. */
export async function readReceipt(
  deps: Pick<Deps, 'db'>,
  input: { readonly principal: Principal; readonly id: string },
): Promise<StoredReceipt> {
  const { principal, id } = input
  if (!isVerificationId(id)) throw new Refusal('session_not_found')
  const deviceId = onlyCreatedBy(principal)
  // A device sees only receipts of its own requests. After an erasure the requester is unknown, so no device sees the receipt.
  const visible = deviceId === null || (await loadVerification(deps.db, principal, { id, deviceId })) !== null
  const receipt = visible ? await loadReceipt(deps.db, principal, id) : null
  return requireSigned(receipt)
}

/** Refuses a receipt that does not exist, or that a remote key has not signed yet. */
export function requireSigned(receipt: StoredReceipt | null): StoredReceipt {
  if (receipt === null) throw new Refusal('session_not_found')
  if (isUnsigned(receipt.jws)) throw new Refusal('unavailable', { retryAfterSeconds: 5, missing: 'not_yet' })
  return receipt
}
