// A merchant collects the evidence bundle of a verification, once. The transaction that hands it out deletes it.

import { actorOf, type Principal } from '../../../core/tenants/domain/principal.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { instantOf } from '../../../platform/world.ts'
import { loadLog, loadReceipt, NOT_YET_SECONDS, proveLeaf } from '../../transparency/index.ts'
import { takeBundle } from '../store/bundles.ts'

interface CollectedEvidence {
  readonly id: string
  /** A JWE to the merchant's key. */
  readonly evidence: string
  readonly receipt: string
  /** null if the log halted before it included the receipt. */
  readonly receipt_proof: string | null
}

/** The same refusal for one that was never made, was collected, is erased, or is another tenant's. */
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
    const receipt = evidence === null ? null : await loadReceipt(tx, realm, id)
    if (evidence === null || receipt === null) throw new Refusal('session_not_found')
    const proof = await proofOf(tx, receipt.leafIndex)
    await deps.audit.record(tx, realm, {
      now,
      action: 'evidence.delivered',
      actor: actorOf(principal),
      object: { type: 'verification', id },
    })
    return { id, evidence, receipt: receipt.jws, receipt_proof: proof }
  })
}

/** It is handed out once, so it waits until the proof exists; a halted log does not delay it. */
async function proofOf(tx: Tx, leafIndex: number | null): Promise<string | null> {
  if (leafIndex !== null) return proveLeaf(tx, leafIndex)
  const { halted } = await loadLog(tx)
  if (halted === null) throw new Refusal('unavailable', { retryAfterSeconds: NOT_YET_SECONDS, missing: 'not_yet' })
  return null
}
