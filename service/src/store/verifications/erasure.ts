// Hard deletion of a verification and of everything that was derived from it. What stays is the audit chain, whose
// entries name an opaque id and nothing of anybody.

import type { Realm } from '../../domain/tenant/realm.ts'
import type { Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'
import { forgetUnusedDestination } from '../webhooks/destinations.ts'

/** Rows deleted, by the names of the specification's tables. */
export interface ErasureCounts {
  readonly verification_sessions: number
  readonly verification_results: number
  readonly webhook_deliveries: number
}

export interface ErasedRows {
  readonly counts: ErasureCounts
  /** It was the last that failed at a destination, which the trail has forgotten now: an entry must account for that. */
  readonly forgotDestination: boolean
}

/**
 * null when there is none. The row is locked first, so that a response being accepted now is over before, and what it
 * wrote is seen and deleted; one that comes later finds nothing.
 */
export async function eraseVerification(tx: Tx, realm: Realm, id: string): Promise<ErasedRows | null> {
  const [locked] = await tx.query<{ key: string | null }>(
    {
      name: 'lock_for_erasure',
      text: `select idempotency_key as key from verifications
             where id = $3 and tenant_id = $1 and environment = $2 for update`,
    },
    [realm.tenantId, realm.environment, id],
  )
  if (locked === undefined) return null
  const [counts] = await tx.query<{ results: number; deliveries: number; origin: string | null }>(
    {
      name: 'erase_what_was_derived',
      text: `with deliveries as (delete from webhook_deliveries where verification_id = $3 returning failed_at_origin),
                  results as (delete from verification_results where verification_id = $3 returning 1),
                  answers as (delete from idempotency_keys
                              where tenant_id = $1 and environment = $2 and key = $4 and verification_id = $3),
                  details as (delete from audit_details where tenant_id = $1 and environment = $2 and object_id = $3
                              returning 1)
             -- Deliveries first: who ends an attempt holds its delivery and then forgets the result.
             select (select count(*)::int from deliveries) as deliveries, (select max(failed_at_origin) from deliveries) as origin,
                    (select count(*)::int from results) as results`,
    },
    [realm.tenantId, realm.environment, id, locked.key],
  )
  const forgotDestination =
    counts?.origin != null && (await forgetUnusedDestination(tx, { ...realm, origin: counts.origin }))
  await tx.query({ name: 'erase_verification', text: 'delete from verifications where id = $1' }, [id])
  return {
    counts: {
      verification_sessions: 1,
      verification_results: counts?.results ?? 0,
      webhook_deliveries: counts?.deliveries ?? 0,
    },
    forgotDestination,
  }
}

/** The oldest first. A tenant's own retention counts, so this looks across tenants, for the retention job alone. */
export async function findOverdueAcrossTenants(
  tx: Tx,
  look: { readonly now: Instant; readonly rowsMax: number; readonly except: readonly string[] },
): Promise<(Realm & { readonly id: string })[]> {
  return tx.query(
    {
      name: 'find_overdue_verifications',
      text: `select due.* from tenants t cross join unnest(array['test', 'live']) as e (environment)
             cross join lateral (
               select v.tenant_id as "tenantId", v.environment, v.id from verifications v
               where v.tenant_id = t.id and v.environment = e.environment
                 and v.created_at <= $1::timestamptz - make_interval(days => t.retention_days)
                 and v.id <> all ($3::text[])
               order by v.created_at limit $2) as due
             limit $2`,
    },
    [look.now, look.rowsMax, look.except],
  )
}

/** A verification that nobody can answer any more needs no key, and nothing to agree to; a response in flight at the end has long been judged. */
export async function destroyKeysOfExpiredAcrossTenants(tx: Tx, before: Instant, rowsMax: number): Promise<number> {
  const rows = await tx.query(
    {
      name: 'destroy_keys_of_expired',
      text: `update verifications set encryption_key = null, request_object = null, transaction_data = null
             where id = any (array(
               select id from verifications where encryption_key is not null and expires_at <= $1
               order by expires_at limit $2 for update skip locked))
             returning id`,
    },
    [before, rowsMax],
  )
  return rows.length
}
