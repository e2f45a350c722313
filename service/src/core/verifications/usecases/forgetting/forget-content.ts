// Deletes claims and credentials once the merchant has what it needs. The verification keeps its outcome.

import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import { isVerificationId } from '../../../../platform/ids.ts'
import type { Tx } from '../../../../platform/postgres/db.ts'
import { instantOf } from '../../../../platform/world.ts'
import type { AuditActor } from '../../../ports/audit.ts'
import type { Realm } from '../../../tenants/domain/realm.ts'
import { withoutContent } from '../../domain/keeping.ts'
import { type KeptResult, renderVerification } from '../../domain/verification.ts'
import type { StoredVerification } from '../../store/columns.ts'
import { lockForErasure } from '../../store/erasure.ts'
import { forgetContent as forgetRow, forgetTransaction } from '../../store/forgetting.ts'
import { openResult } from '../../store/sealed-results.ts'
import { loadVerification } from '../../store/verifications.ts'
import { decryptVerification } from '../reading/read-verification.ts'

export type ForgettingNeeds = Pick<Deps, 'db' | 'clock' | 'audit' | 'config' | 'listed' | 'forgetting'>

/** Returns the body of the response. A repetition, or a call before an answer, returns the same, without a record. */
export async function forgetContent(
  deps: ForgettingNeeds,
  input: {
    readonly realm: Realm
    readonly id: string
    readonly actor: AuditActor
    /** Keeps copies that expire by themselves. Set by the call that has just returned a copy. */
    readonly keepsCopies?: boolean
  },
): Promise<string> {
  const { realm, id, actor, keepsCopies = false } = input
  if (!isVerificationId(id)) throw new Refusal('session_not_found')
  const nowMs = deps.clock.now()
  const at = instantOf(nowMs)
  const found = await deps.db.transaction(async (tx) => {
    const locked = await lockForErasure(tx, realm, id)
    const stored = locked === null ? null : await loadVerification(tx, realm, { id, deviceId: null })
    if (stored !== null) await forgetTransaction(tx, realm, { id, at })
    if (stored !== null && stored.state !== 'pending' && !keepsCopies)
      for (const one of deps.forgetting) await one.forgetCopies?.(tx, realm, { id, at })
    if (stored === null || stored.sealedResult === null || stored.forgottenAt !== null) return stored
    await forgetRow(tx, realm, { id, at, left: leftOf(tx, stored) })
    for (const one of deps.forgetting) await one.forgetContent?.(tx, realm, id)
    await deps.audit.record(tx, realm, {
      now: at,
      action: 'verification.forgotten',
      actor,
      object: { type: 'verification', id },
    })
    return loadVerification(tx, realm, { id, deviceId: null })
  })
  if (found === null) throw new Refusal('session_not_found')
  deps.listed.forget(id)
  return renderVerification(decryptVerification(deps, found, nowMs), deps.config.baseUrl)
}

/** Why the verification failed; null for a completed one. */
function leftOf(tx: Tx, stored: StoredVerification): KeptResult | null {
  if (stored.state !== 'failed' || stored.sealedResult === null) return null
  const result = openResult(tx, stored, stored.sealedResult)
  if (result.outcome !== 'failed') throw new Error('bug: a failed verification with the result of a completed one')
  return withoutContent(result)
}
