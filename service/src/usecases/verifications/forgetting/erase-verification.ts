// A merchant, or the end of its retention period, has a verification forgotten. The trail says that, and no more.

import type { Deps } from '../../../deps.ts'
import type { AuditActor } from '../../../domain/audit/entry.ts'
import { Refusal } from '../../../domain/errors.ts'
import { isVerificationId } from '../../../domain/ids.ts'
import type { Realm } from '../../../domain/tenant/realm.ts'
import { destinationForgotten } from '../../../domain/webhook/destination.ts'
import { type Instant, instantOf } from '../../../domain/world.ts'
import { appendAudit } from '../../../store/audit/chain.ts'
import { type ErasureCounts, eraseVerification as eraseRows } from '../../../store/verifications/erasure.ts'

export interface Erasure {
  readonly id: string
  readonly deleted: ErasureCounts
  readonly erased_at: Instant
}

/** Spec 2.6. */
export async function eraseVerification(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'headMacs' | 'metrics' | 'listed'>,
  input: { readonly realm: Realm; readonly id: string; readonly actor: AuditActor },
): Promise<Erasure> {
  const { realm, id, actor } = input
  if (!isVerificationId(id)) throw new Refusal('session_not_found')
  const now = instantOf(deps.clock.now())
  const erasure = await deps.db.transaction(async (tx) => {
    const erased = await eraseRows(tx, realm, id)
    if (erased === null) throw new Refusal('session_not_found')
    const [erasedAt = now] = await appendAudit(tx, realm, {
      now,
      random: deps.random,
      headMacs: deps.headMacs,
      events: [
        { action: 'verification.erased', actor, object: { type: 'verification', id } },
        ...(erased.forgotDestination ? [destinationForgotten(realm)] : []),
      ],
    })
    return { id, deleted: erased.counts, erased_at: erasedAt }
  })
  deps.listed.forget(id)
  deps.metrics.erased.inc({ by: actor.type })
  return erasure
}
