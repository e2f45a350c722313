// The receipt of a verification, for its tenant; also when everything else is erased.

import { onlyCreatedBy, type Principal } from '../../../core/tenants/domain/principal.ts'
import { loadVerification } from '../../../core/verifications/store/verifications.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { isUnsigned } from '../domain/receipt/receipt.ts'
import { loadReceipt, type StoredReceipt } from '../store/receipts.ts'

/** Another tenant's, another environment's and an unfinished verification are not found. */
export async function readReceipt(
  deps: Pick<Deps, 'db'>,
  input: { readonly principal: Principal; readonly id: string },
): Promise<StoredReceipt> {
  const { principal, id } = input
  if (!isVerificationId(id)) throw new Refusal('session_not_found')
  const deviceId = onlyCreatedBy(principal)
  // A device sees what it requested itself; after an erasure it is unknown who requested it.
  const visible = deviceId === null || (await loadVerification(deps.db, principal, { id, deviceId })) !== null
  const receipt = visible ? await loadReceipt(deps.db, principal, id) : null
  if (receipt === null) throw new Refusal('session_not_found')
  // Its key is outside of the process and has not signed it yet.
  if (isUnsigned(receipt.jws)) throw new Refusal('unavailable', { retryAfterSeconds: 5, missing: 'not_yet' })
  return receipt
}
