// Hands out the evidence bundle of a verification once, and deletes it in the same transaction.

import { actorOf, type Principal } from '../../../core/tenants/domain/principal.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { loadVerification } from '../../../core/verifications/store/verifications.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { instantOf } from '../../../platform/world.ts'
import {
  isUnsigned,
  loadLog,
  loadReceipt,
  NOT_YET_SECONDS,
  namesBundle,
  proveLeaf,
  type StoredReceipt,
} from '../../transparency/index.ts'
import { takeBundle } from '../store/bundles.ts'

interface CollectedEvidence {
  readonly id: string
  /** A JWE, encrypted to the merchant's key. */
  readonly evidence: string
  readonly receipt: string
  /** null if the log halted before it included the receipt, or does not yet include one that came with a move. */
  readonly receipt_proof: string | null
}

/** Other realms get the same refusal as for a verification that does not exist. */
export async function collectEvidence(
  deps: Pick<Deps, 'db' | 'clock' | 'audit'>,
  input: { readonly principal: Principal; readonly id: string },
): Promise<CollectedEvidence> {
  const { principal, id } = input
  if (!isVerificationId(id)) throw new Refusal('session_not_found')
  const realm = { tenantId: principal.tenantId, environment: principal.environment }
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    const evidence = await takeBundle(tx, realm, { id, now })
    const receipt = await loadReceipt(tx, realm, id)
    if (evidence === null) throw await missingEvidence(tx, realm, { id, isGone: namesBundle(receipt?.jws ?? null) })
    if (receipt === null) throw new Error('bug: an evidence bundle without a receipt')
    const proof = await proofOf(tx, receipt)
    await deps.audit.record(tx, realm, {
      now,
      action: 'evidence.delivered',
      actor: actorOf(principal),
      object: { type: 'verification', id },
    })
    return { id, evidence, receipt: receipt.jws, receipt_proof: proof }
  })
}

async function missingEvidence(
  tx: Tx,
  realm: Realm,
  { id, isGone }: { readonly id: string; readonly isGone: boolean },
): Promise<Refusal> {
  const verification = await loadVerification(tx, realm, { id, deviceId: null })
  if (verification === null) return new Refusal('session_not_found')
  return new Refusal('evidence_not_found', isGone ? { message: GONE } : {})
}

const GONE =
  'The evidence bundle of this verification is gone: it was collected, forgotten, or not collected within a day. It is handed out once.'

/**
 * The bundle is handed out only once, so it waits for signature and proof. It does not wait for a halted log, or for a
 * receipt from another installation, because it would be deleted before the proof exists.
 */
async function proofOf(tx: Tx, { jws, leafIndex, leafSalt, hasArrived }: StoredReceipt): Promise<string | null> {
  if (leafIndex !== null) return proveLeaf(tx, leafIndex, leafSalt)
  const { halted } = await loadLog(tx)
  if ((halted === null && !hasArrived) || isUnsigned(jws))
    throw new Refusal('unavailable', { retryAfterSeconds: NOT_YET_SECONDS, missing: 'not_yet' })
  return null
}
