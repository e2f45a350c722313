// Erases a verification, for the merchant or at the end of its retention period. Only the audit entry stays.

import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import { isVerificationId } from '../../../../platform/ids.ts'
import type { Tx } from '../../../../platform/postgres/db.ts'
import { type Instant, instantOf } from '../../../../platform/world.ts'
import type { AuditActor, AuditEvent } from '../../../ports/audit.ts'
import type { Realm } from '../../../tenants/domain/realm.ts'
import {
  type ErasureCounts,
  eraseLocked,
  type LockedForErasure,
  lockForErasure,
  lockFreeForErasure,
} from '../../store/erasure.ts'

export interface Erasure {
  readonly id: string
  readonly deleted: ErasureCounts
  readonly erased_at: Instant
}

export type ErasureNeeds = Pick<Deps, 'db' | 'clock' | 'audit' | 'metrics' | 'listed' | 'forgetting'>

/** Spec 2.6. */
export async function eraseVerification(
  deps: ErasureNeeds,
  input: { readonly realm: Realm; readonly id: string; readonly actor: AuditActor },
): Promise<Erasure> {
  const { realm, id, actor } = input
  if (!isVerificationId(id)) throw new Refusal('session_not_found')
  const erasure = await deps.db.transaction(async (tx) => {
    const locked = await lockForErasure(tx, realm, id)
    if (locked === null) throw new Refusal('session_not_found')
    const { deleted, events } = await eraseRows(deps, tx, realm, [locked])
    const at = await recordErased(deps, tx, { realm, ids: [id], actor, events })
    return { id, deleted, erased_at: at }
  })
  noteErased(deps, [id], actor)
  return erasure
}

/** Erases the verifications that are not in use, in one transaction. Returns their ids. */
export async function eraseFree(
  deps: ErasureNeeds,
  { realm, ids, actor }: { readonly realm: Realm; readonly ids: readonly string[]; readonly actor: AuditActor },
): Promise<ReadonlySet<string>> {
  const erased = await deps.db.transaction(async (tx) => {
    const locked = await lockUnused(deps, tx, realm, ids)
    const gone = locked.map(({ id }) => id)
    if (gone.length === 0) return gone
    const { events } = await eraseRows(deps, tx, realm, locked)
    await recordErased(deps, tx, { realm, ids: gone, actor, events })
    return gone
  })
  noteErased(deps, erased, actor)
  return new Set(erased)
}

interface Erased {
  readonly realm: Realm
  readonly ids: readonly string[]
  readonly actor: AuditActor
  /** What contributions have deleted. */
  readonly events: readonly AuditEvent[]
}

/**
 * Locks verifications that no transaction has locked and no feature uses. Never waits for a locked row, because its
 * transaction may wait for rows of this batch.
 */
async function lockUnused(
  { forgetting }: ErasureNeeds,
  tx: Tx,
  realm: Realm,
  ids: readonly string[],
): Promise<readonly LockedForErasure[]> {
  const locked = await lockFreeForErasure(tx, realm, ids)
  const inUse = new Set<string>()
  for (const one of forgetting) for (const id of (await one.findInUse?.(tx, realm, ids)) ?? []) inUse.add(id)
  return locked.filter(({ id }) => !inUse.has(id))
}

/** Deletes what features derived first, then core's own rows. */
async function eraseRows(
  { forgetting }: ErasureNeeds,
  tx: Tx,
  realm: Realm,
  locked: readonly LockedForErasure[],
): Promise<{ readonly deleted: ErasureCounts; readonly events: readonly AuditEvent[] }> {
  const ids = locked.map(({ id }) => id)
  const events: AuditEvent[] = []
  let counts: ErasureCounts = { verification_sessions: 0, verification_results: 0, webhook_deliveries: 0 }
  for (const one of forgetting) {
    const erased = await one.forgetDerived?.(tx, realm, ids)
    events.push(...(erased?.events ?? []))
    counts = { ...counts, ...erased?.counts }
  }
  return { deleted: { ...counts, ...(await eraseLocked(tx, realm, locked)) }, events }
}

/** Writes an entry for each verification, and the entries of contributions. Returns the time of the first entry. */
async function recordErased(deps: ErasureNeeds, tx: Tx, erased: Erased): Promise<Instant> {
  const { realm, ids, actor } = erased
  const now = instantOf(deps.clock.now())
  const [erasedAt = now] = await deps.audit.recordAll(tx, realm, {
    now,
    events: [
      ...ids.map((id) => ({ action: 'verification.erased', actor, object: { type: 'verification', id } }) as const),
      ...erased.events,
    ],
  })
  return erasedAt
}

function noteErased(deps: ErasureNeeds, ids: readonly string[], actor: AuditActor): void {
  for (const id of ids) deps.listed.forget(id)
  deps.metrics.erased.inc({ by: actor.type }, ids.length)
}
