// Data of all tenants that is past its retention, or no longer needed.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { isOpen } from '../../../core/tenants/store/closed.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

/** Finds verifications of one partition, oldest first. Each tenant has its own retention, so the query covers all tenants. */
export async function findOverdueAcrossTenants(
  tx: Tx,
  look: {
    readonly now: Instant
    readonly rowsMax: number
    readonly except: readonly string[]
    /** The partition. */
    readonly day: number
    /** If set, finds only tenants for whom the whole day is past retention. null: compares the time of each verification. */
    readonly today: number | null
  },
): Promise<(Realm & { readonly id: string })[]> {
  return tx.query(
    {
      name: 'find_overdue_verifications',
      text: `select due.* from tenants t cross join unnest(array['test', 'live']) as e (environment)
             cross join lateral (
               select v.tenant_id as "tenantId", v.environment, v.id from verifications v
               where v.tenant_id = t.id and v.environment = e.environment
                 and v.created_at <= $1::timestamptz - make_interval(days => t.retention_days)
                 and v.id <> all ($3::text[]) and v.day = $4
               order by v.created_at limit $2) as due
             where ${isOpen('t')} and ($5::int is null or $4 + 1 + t.retention_days <= $5) limit $2`,
    },
    [look.now, look.rowsMax, look.except, look.day, look.today],
  )
}

/**
 * Deletes key and transaction of expired verifications, which no longer need them. The mark moves past finished rows and
 * stops at a locked row; a concurrent `searchAllExpired` wins. Searches from ten minutes before the mark, because clocks
 * differ and a row may become visible late. If the mark is in the future, all rows are searched.
 */
export async function destroyKeysOfExpiredAcrossTenants(tx: Tx, before: Instant, rowsMax: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    {
      name: 'destroy_keys_of_expired',
      text: `with found as materialized (
               select id, day, expires_at from verifications where encryption_key is not null and expires_at <= $1 and expires_at >
                 coalesce((select until - interval '10 minutes' from expired_key_mark where until <= $1), '-infinity')
               order by expires_at limit $2
             ), locked as materialized (
               select v.id, v.day from found join verifications v on v.id = found.id and v.day = found.day for update of v skip locked
             ), destroyed as (
               update verifications v set encryption_key = null, request_object = null, served_requests = null, transaction_data = null
               from locked where v.id = locked.id and v.day = locked.day returning v.id
             ), moved as (
               insert into expired_key_mark (until)
               select coalesce(min(expires_at) filter (where id not in (select id from destroyed)),
                               case when count(*) < $2 then $1 else max(expires_at) end) from found
               on conflict (only_one) do update set until = excluded.until where expired_key_mark.until = (select until from expired_key_mark))
             select count(*)::int as count from destroyed`,
    },
    [before, rowsMax],
  )
  return row?.count ?? 0
}

/** The next run searches all rows: rows that a move has brought may have expired long before the mark. */
export async function searchAllExpired(tx: Tx): Promise<void> {
  const text = `insert into expired_key_mark (until) values ('-infinity') on conflict (only_one) do update set until = '-infinity'`
  await tx.query({ name: 'reset_expired_key_mark', text })
}
