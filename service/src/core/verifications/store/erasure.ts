// Hard deletion of a verification and what core derived from it; features delete what they added. Only the audit trail
// stays, whose entries name an opaque id and no personal data.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { isOpen } from '../../tenants/store/closed.ts'

/** Deleted rows, by the names of the specification's tables. */
export interface ErasureCounts {
  readonly verification_sessions: number
  readonly verification_results: number
  readonly webhook_deliveries: number
}

/** A verification that this transaction has locked in order to erase it. */
export interface LockedForErasure {
  readonly id: string
  /** Its idempotency key. */
  readonly key: string | null
}

/**
 * null if there is none. A response being accepted now is finished before, and what it wrote is deleted; a later one
 * finds nothing.
 */
export async function lockForErasure(tx: Tx, realm: Realm, id: string): Promise<LockedForErasure | null> {
  const [locked] = await tx.query<LockedForErasure>(
    {
      name: 'lock_for_erasure',
      text: `select id, idempotency_key as key from verifications
             where id = $3 and tenant_id = $1 and environment = $2 for update`,
    },
    [realm.tenantId, realm.environment, id],
  )
  return locked ?? null
}

/** Those that no other transaction has locked. */
export async function lockFreeForErasure(tx: Tx, realm: Realm, ids: readonly string[]): Promise<LockedForErasure[]> {
  return tx.query(
    {
      name: 'lock_free_for_erasure',
      text: `select id, idempotency_key as key from verifications
             where id = any ($3::text[]) and tenant_id = $1 and environment = $2
             order by id for update skip locked`,
    },
    [realm.tenantId, realm.environment, ids],
  )
}

/** When features have deleted what they derived: code that ends a delivery locks the delivery first, then the result. */
export async function eraseLocked(
  tx: Tx,
  realm: Realm,
  locked: readonly LockedForErasure[],
): Promise<Omit<ErasureCounts, 'webhook_deliveries'>> {
  const ids = locked.map(({ id }) => id)
  const [derived] = await tx.query<{ results: number }>(
    {
      name: 'erase_what_was_derived',
      text: `with results as (delete from verification_results
                              where verification_id = any ($3::text[]) and tenant_id = $1 and environment = $2 returning 1),
                  answers as (delete from idempotency_keys k using unnest($3::text[], $4::text[]) as g (id, key)
                              where k.tenant_id = $1 and k.environment = $2 and k.key = g.key and k.verification_id = g.id)
             select (select count(*)::int from results) as results`,
    },
    [realm.tenantId, realm.environment, ids, locked.map(({ key }) => key)],
  )
  await tx.query(
    {
      name: 'erase_verifications',
      text: 'delete from verifications where id = any ($3::text[]) and tenant_id = $1 and environment = $2',
    },
    [realm.tenantId, realm.environment, ids],
  )
  return { verification_sessions: ids.length, verification_results: derived?.results ?? 0 }
}

/** The oldest first. A tenant's own retention applies, so this query crosses tenants, only for the retention job. */
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
             where ${isOpen('t')} limit $2`,
    },
    [look.now, look.rowsMax, look.except],
  )
}

/** Clocks differ, and a row can become visible late: each run begins so much before the mark. */
const BEFORE_MARK = "interval '10 minutes'"

/**
 * An expired verification needs neither key nor transaction; a response in flight at its end has long been examined.
 * Moves the mark up to where this is done, not past a row that is locked now. A mark in the future is not trusted: then all are
 * searched.
 */
export async function destroyKeysOfExpiredAcrossTenants(tx: Tx, before: Instant, rowsMax: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    {
      name: 'destroy_keys_of_expired',
      text: `with found as (
               select id, expires_at from verifications where encryption_key is not null and expires_at <= $1 and expires_at >
                 coalesce((select until - ${BEFORE_MARK} from expired_key_mark where until <= $1), '-infinity')
               order by expires_at limit $2
             ), destroyed as (
               update verifications set encryption_key = null, request_object = null, transaction_data = null
               where id = any (array(
                 select id from verifications where id = any (array(select id from found)) for update skip locked))
               returning id
             ), moved as (
               insert into expired_key_mark (until)
               select coalesce(min(expires_at) filter (where id not in (select id from destroyed)),
                               case when count(*) < $2 then $1 else max(expires_at) end) from found
               on conflict (only_one) do update set until = excluded.until)
             select count(*)::int as count from destroyed`,
    },
    [before, rowsMax],
  )
  return row?.count ?? 0
}
