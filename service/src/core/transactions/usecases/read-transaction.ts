// Reads what a holder was asked to agree to, and the outcome, for callers who may read the verification.

import type { Deps } from '../../../deps.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import type { Reader } from '../../tenants/domain/principal.ts'
import type { Verification } from '../../verifications/domain/verification.ts'
import { readOne } from '../../verifications/usecases/reading/read-verification.ts'
import { recordsOf, renderTransactionRecord, type TransactionRecord } from '../domain/record.ts'
import { loadSealedTransaction, openTransaction } from '../store/sealed.ts'

export async function readTransactionOf(
  deps: Pick<Deps, 'db' | 'batcher' | 'clock' | 'config' | 'readNotes'>,
  input: Reader & { readonly id: string },
) {
  // Reads the open state first. If the verification ends in between, the result below contains the transaction.
  const sealedTransaction = isVerificationId(input.id)
    ? await loadSealedTransaction(deps.db, input.principal, input.id)
    : null
  const verification = await readOne(deps, input)
  const { tenantId, environment, id, status } = verification
  const records =
    status === 'pending' || status === 'expired'
      ? recordsOf(openTransaction(deps.db, { tenantId, environment, id, sealedTransaction }), [])
      : keptRecords(verification)
  return { id, status, transaction: records === null ? null : records.map(renderTransactionRecord) }
}

/** null: the records were deleted. */
function keptRecords(verification: Verification): readonly TransactionRecord[] | null {
  if (verification.status === 'completed')
    return verification.content === null ? null : (verification.content.transaction ?? [])
  if (verification.status === 'failed')
    return verification.credentials === null ? null : (verification.transaction ?? [])
  return []
}
