// Deletes a verification and what core derived from it. Features delete their own rows; only the audit trail stays.

import { daysOf, inKnownDays, rangeOf } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Realm } from '../../tenants/domain/realm.ts'

/** The days are parameters 4 and 5. Not a cached plan, which would lock all partitions until the transaction ends. */
const IN_DAYS = inKnownDays('day', { from: '$4', to: '$5' })

/** Deleted rows, by the names of the specification's tables. */
export interface ErasureCounts {
  readonly verification_sessions: number
  readonly verification_results: number
  readonly webhook_deliveries: number
}

/** A verification that this transaction has locked, to erase it or its content. */
export interface LockedForErasure {
  readonly id: string
  /** The idempotency key of its creation. */
  readonly key: string | null
}

/** null if there is no such verification. Waits for a concurrent answer, erasure or deletion of content. */
export async function lockForErasure(tx: Tx, realm: Realm, id: string): Promise<LockedForErasure | null> {
  const { from, to } = rangeOf(daysOf(tx.sealer, [id]))
  const [locked] = await tx.query<LockedForErasure>(
    {
      name: 'lock_for_erasure',
      text: `select id, idempotency_key as key from verifications
             where id = $3 and tenant_id = $1 and environment = $2 and ${IN_DAYS} for update`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, id, from, to],
  )
  return locked ?? null
}

/** Returns which of these ids are stored. */
export async function findStored(tx: Tx, realm: Realm, ids: readonly string[]): Promise<string[]> {
  const { from, to } = rangeOf(daysOf(tx.sealer, ids))
  const rows = await tx.query<{ id: string }>(
    {
      name: 'find_stored_verifications',
      text: `select id from verifications
             where id = any ($3::text[]) and tenant_id = $1 and environment = $2 and ${IN_DAYS}`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, ids, from, to],
  )
  return rows.map(({ id }) => id)
}

/** Locks the verifications that no other transaction has locked. */
export async function lockFreeForErasure(tx: Tx, realm: Realm, ids: readonly string[]): Promise<LockedForErasure[]> {
  const { from, to } = rangeOf(daysOf(tx.sealer, ids))
  return tx.query(
    {
      name: 'lock_free_for_erasure',
      text: `select id, idempotency_key as key from verifications
             where id = any ($3::text[]) and tenant_id = $1 and environment = $2 and ${IN_DAYS}
             order by id for update skip locked`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, ids, from, to],
  )
}

/** Call this after features deleted their rows: code that ends a delivery locks the delivery before the result. */
export async function eraseLocked(
  tx: Tx,
  realm: Realm,
  locked: readonly LockedForErasure[],
): Promise<Omit<ErasureCounts, 'webhook_deliveries'>> {
  const ids = locked.map(({ id }) => id)
  const { from, to } = rangeOf(daysOf(tx.sealer, ids))
  const [derived] = await tx.query<{ results: number }>(
    {
      name: 'erase_what_was_derived',
      text: `with results as (delete from verification_results
                              where verification_id = any ($3::text[]) and tenant_id = $1 and environment = $2
                                and ${inKnownDays('day', { from: '$5', to: '$6' })} returning 1),
                  answers as (delete from idempotency_keys k using unnest($3::text[], $4::text[]) as g (id, key)
                              where k.tenant_id = $1 and k.environment = $2 and k.key = g.key and k.verification_id = g.id),
                  codes as (update authentication_codes set verification_id = null
                            where tenant_id = $1 and environment = $2 and verification_id = any ($3::text[]))
             select (select count(*)::int from results) as results`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, ids, locked.map(({ key }) => key), from, to],
  )
  await tx.query(
    {
      name: 'erase_verifications',
      text: `delete from verifications
             where id = any ($3::text[]) and tenant_id = $1 and environment = $2 and ${IN_DAYS}`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, ids, from, to],
  )
  return { verification_sessions: ids.length, verification_results: derived?.results ?? 0 }
}
