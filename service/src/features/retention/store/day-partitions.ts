// Day partitions: created ahead, detached when all their rows are past retention, dropped after the audit entries are written.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { isOpen } from '../../../core/tenants/store/closed.ts'
import { hasSqlState } from '../../../platform/postgres/connection.ts'
import { type Lapsed, lapsedOf, lapsedValues, SINGLY } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { StoreUnavailable } from '../../../platform/store-unavailable.ts'
import type { Instant } from '../../../platform/world.ts'

/** Other statements queue behind a table lock that waits, so it must not wait long. */
const LOCK_WAIT = "set_config('lock_timeout', '500ms', true)"

/** Whether a table lock was not available in time. The caller tries again later. */
export const isLocked = (error: unknown): boolean =>
  hasSqlState(error, '55P03') || (error instanceof StoreUnavailable && hasSqlState(error.cause, '55P03'))

/** Needs its own transaction. Returns false if the default partition has rows of that day, or too many rows. */
export async function makeDay(tx: Tx, day: number): Promise<boolean> {
  await waitBriefly(tx)
  const [row] = await tx.query<{ made: boolean }>({ name: 'make_day', text: 'select make_day($1) as made' }, [day])
  return row?.made === true
}

const waitBriefly = (tx: Tx) => tx.query({ name: 'wait_briefly', text: `select ${LOCK_WAIT}` })

/** Takes the lock that `make_day` and `lapse_day` also take. No day is created or lapses until the transaction ends. */
export async function holdDays(tx: Tx): Promise<void> {
  await tx.query({ name: 'hold_days', text: 'select pg_advisory_xact_lock(7310011)' })
}

export interface StoredDays {
  /** Days with a partition. */
  readonly partitioned: readonly number[]
  /** Days whose partitions are detached but not dropped yet. */
  readonly lapsed: readonly number[]
  /** Days that have rows but no partition. */
  readonly unplanned: readonly number[]
  /** The shortest retention of all tenants, in days; null: there are no tenants. */
  readonly shortestRetention: number | null
}

const daysUnder = (parent: string) => `array(select substring(c.relname from '[0-9]+$')::int
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = '${parent}'::regclass and c.relname ~ '^${parent}_[0-9]+$' order by 1)`

export async function loadDays(tx: Tx): Promise<StoredDays> {
  const [row] = await tx.query<StoredDays>({
    name: 'load_days',
    text: `select ${daysUnder('verifications')} as partitioned, ${daysUnder('lapsed_verifications')} as lapsed,
             array(with recursive found (day) as (
                 select min(day) from verifications_unplanned
                 union all select (select min(u.day) from verifications_unplanned u where u.day > found.day) from found where day is not null)
               select day from found where day is not null) as unplanned,
             (select min(retention_days) from tenants) as "shortestRetention"`,
  })
  if (row === undefined) throw new Error('bug: a select without from gave no row')
  return row
}

/**
 * Moves verifications of a day to the partition whose rows are deleted one by one: those with a retention above
 * `keptMax` days, and those created after `createdAfter`. Returns how many, at most `rowsMax`.
 */
export async function moveKept(
  tx: Tx,
  day: number,
  look: { readonly keptMax: number; readonly createdAfter: Instant; readonly rowsMax: number },
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    {
      name: 'move_kept_verifications',
      text: `with kept as materialized (
               select v.id, v.tenant_id, v.environment
               from tenants t cross join unnest(array['test', 'live']) as e (environment) cross join lateral (
                 select * from verifications
                 where tenant_id = t.id and environment = e.environment and day = $1
                   and created_at > case when t.retention_days > $2 then '-infinity'::timestamptz else $4 end
                 limit $3 for update skip locked) v
               where ${isOpen('t')} limit $3
             ), results as (
               update verification_results r set day = ${SINGLY} from kept
               where r.verification_id = kept.id and r.tenant_id = kept.tenant_id and r.day = $1
             ), details as (
               update audit_details d set day = ${SINGLY} from kept
               where d.tenant_id = kept.tenant_id and d.environment = kept.environment and d.object_id = kept.id and d.day = $1
             ), moved as (
               update verifications v set day = ${SINGLY} from kept
               where v.id = kept.id and v.tenant_id = kept.tenant_id and v.day = $1 returning 1
             )
             select count(*)::int as count from moved`,
      replanEachCall: true,
    },
    [day, look.keptMax, look.rowsMax, look.createdAfter],
  )
  return row?.count ?? 0
}

/** Whether a tenant still keeps rows of the day, or is closed. Takes no lock. */
export async function isDayKept(tx: Tx, day: number, now: Instant): Promise<boolean> {
  const [row] = await tx.query<{ kept: boolean }>({ name: 'is_day_kept', text: 'select is_day_kept($1, $2) as kept' }, [
    day,
    now,
  ])
  return row?.kept !== false
}

/** Detaches the day and locks its tables until the transaction ends. Returns false if the day is kept. */
export async function lapseDay(tx: Tx, day: number, now: Instant): Promise<boolean> {
  await waitBriefly(tx)
  const [row] = await tx.query<{ lapsed: boolean }>({ name: 'lapse_day', text: 'select lapse_day($1, $2) as lapsed' }, [
    day,
    now,
  ])
  return row?.lapsed === true
}

export interface NamedEntries extends Realm {
  /** Audit entries whose details are in the day, as run lengths from entry 1 on: a run outside, then one inside, and so on. */
  readonly entries: string
  readonly last: number
  /** When the last of these entries was recorded; null: that entry is lost. */
  readonly newest: Instant | null
}

const TENANTS_EACH = 100

/** Runs in the transaction that detaches the day, but before it locks tables: a million entries take a second or two. */
export async function nameEntries(tx: Tx, day: number): Promise<NamedEntries[]> {
  const named: NamedEntries[] = []
  let after = ''
  // bounded: by the number of tenants.
  for (;;) {
    const [row] = await tx.query<{ last: string | null }>(
      {
        name: 'find_end_of_tenants',
        text: 'select max(id) as last from (select id from tenants where id > $1 order by id limit $2) page',
      },
      [after, TENANTS_EACH],
    )
    const upTo = row?.last ?? null
    if (upTo === null) return named
    const page = await tx.query<NamedEntries>(
      {
        name: 'name_entries',
        text: 'select tenant_id as "tenantId", environment, entries, last, newest from name_entries($1, $2, $3)',
      },
      [day, after, upTo],
    )
    named.push(...page)
    after = upTo
  }
}

export interface LapsedRealm extends Realm {
  readonly verifications: number
  /** The last audit entry whose details are in the day; null: there is none. */
  readonly last: number | null
}

/** Counts the verifications of a lapsed day by realm. */
export async function countLapsed(tx: Tx, day: number): Promise<LapsedRealm[]> {
  return tx.query(
    {
      name: 'count_lapsed',
      text: 'select tenant_id as "tenantId", environment, verifications::int as verifications, last from count_lapsed($1)',
    },
    [day],
  )
}

/** Keeps the details of a realm without verifications in the day, because no rule permits deleting them. */
export async function keepDetails(tx: Tx, { tenantId, environment }: Realm, day: number): Promise<void> {
  await tx.query(
    {
      name: 'keep_audit_details',
      text: `update audit_details set day = ${SINGLY} where tenant_id = $1 and environment = $2 and day = $3`,
      replanEachCall: true,
    },
    [tenantId, environment, day],
  )
}

/** Runs in the transaction that detaches the day. */
export async function dropDetails(tx: Tx, day: number): Promise<void> {
  await tx.query({ name: 'drop_details', text: 'select drop_details($1)' }, [day])
}

/** Returns the number of blocks of these tables together; a missing table counts as 0. */
export async function countBlocks(tx: Tx, tables: readonly string[]): Promise<number> {
  const [row] = await tx.query<{ blocks: number }>(
    {
      name: 'count_blocks',
      text: `select coalesce(sum(pg_relation_size(to_regclass(name)) / current_setting('block_size')::int), 0)::int as blocks
             from unnest($1::text[]) as name`,
    },
    [tables],
  )
  return row?.blocks ?? 0
}

export const lapsedTable = (day: number): string => `lapsed_verifications_${day}`

/** Used authentication codes stay, but lose the id of their verification. */
export async function forgetCodesOfLapsed(tx: Tx, lapsed: Lapsed): Promise<void> {
  await tx.query(
    {
      name: 'forget_codes_of_lapsed',
      text: `update authentication_codes c set verification_id = null from (${lapsedOf('authentication_codes')}) v
             where c.verification_id = v.id and c.tenant_id = v.tenant_id`,
      replanEachCall: true,
    },
    lapsedValues(lapsed),
  )
}

/** Needs its own transaction. */
export async function dropDay(tx: Tx, day: number): Promise<void> {
  await waitBriefly(tx)
  await tx.query({ name: 'drop_day', text: 'select drop_day($1)' }, [day])
}
