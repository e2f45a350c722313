// A merchant, or the end of its retention period, has a verification forgotten. The trail says that, and no more.

import type { Deps } from '../../../../deps.ts'
import { destinationForgotten } from '../../../../features/webhooks/domain/destination.ts'
import { Refusal } from '../../../../platform/errors.ts'
import { isVerificationId } from '../../../../platform/ids.ts'
import type { Tx } from '../../../../platform/postgres/db.ts'
import { type Instant, instantOf } from '../../../../platform/world.ts'
import type { AuditActor } from '../../../ports/audit.ts'
import type { Realm } from '../../../tenants/domain/realm.ts'
import { type ErasureCounts, eraseFreeVerifications, eraseVerification as eraseRows } from '../../store/erasure.ts'

export interface Erasure {
  readonly id: string
  readonly deleted: ErasureCounts
  readonly erased_at: Instant
}

type Needs = Pick<Deps, 'db' | 'clock' | 'audit' | 'metrics' | 'listed'>

/** Spec 2.6. */
export async function eraseVerification(
  deps: Needs,
  input: { readonly realm: Realm; readonly id: string; readonly actor: AuditActor },
): Promise<Erasure> {
  const { realm, id, actor } = input
  if (!isVerificationId(id)) throw new Refusal('session_not_found')
  const erasure = await deps.db.transaction(async (tx) => {
    const erased = await eraseRows(tx, realm, id)
    if (erased === null) throw new Refusal('session_not_found')
    const { forgottenDestinations } = erased
    const at = await recordErased(deps, tx, { realm, ids: [id], actor, forgottenDestinations })
    return { id, deleted: erased.counts, erased_at: at }
  })
  noteErased(deps, [id], actor)
  return erasure
}

/** Those of them that nobody works with now, in one transaction; gives which. The others are there as before. */
export async function eraseFree(
  deps: Needs,
  { realm, ids, actor }: { readonly realm: Realm; readonly ids: readonly string[]; readonly actor: AuditActor },
): Promise<ReadonlySet<string>> {
  const erased = await deps.db.transaction(async (tx) => {
    const { ids: gone, forgottenDestinations } = await eraseFreeVerifications(tx, realm, ids)
    if (gone.length > 0) await recordErased(deps, tx, { realm, ids: gone, actor, forgottenDestinations })
    return gone
  })
  noteErased(deps, erased, actor)
  return new Set(erased)
}

interface Erased {
  readonly realm: Realm
  readonly ids: readonly string[]
  readonly actor: AuditActor
  readonly forgottenDestinations: number
}

/** An entry for each, and one for each destination that earlier entries have lost. Gives the time that the first bears. */
async function recordErased(deps: Needs, tx: Tx, erased: Erased): Promise<Instant> {
  const { realm, ids, actor, forgottenDestinations } = erased
  const now = instantOf(deps.clock.now())
  const [erasedAt = now] = await deps.audit.recordAll(tx, realm, {
    now,
    events: [
      ...ids.map((id) => ({ action: 'verification.erased', actor, object: { type: 'verification', id } }) as const),
      ...Array.from({ length: forgottenDestinations }, () => destinationForgotten(realm)),
    ],
  })
  return erasedAt
}

function noteErased(deps: Needs, ids: readonly string[], actor: AuditActor): void {
  for (const id of ids) deps.listed.forget(id)
  deps.metrics.erased.inc({ by: actor.type }, ids.length)
}
