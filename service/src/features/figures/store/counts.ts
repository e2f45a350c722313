// Hourly and daily counts of verifications (../domain/counts.ts), and the queue of endings to count.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import { isOfServedTenant } from '../../../core/tenants/store/closed.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { inForce, LATE } from '../../../platform/postgres/late-migrations.ts'
import { type Column, defineStatement, namesOf, runStatement, selectOf } from '../../../platform/postgres/statement.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Count, CountedOutcome, CountKind, Ended, Step } from '../domain/counts.ts'

const COUNT: readonly Column<Count>[] = [
  { name: 'step', type: 'text', get: (one) => one.step },
  { name: 'kind', type: 'text', get: (one) => one.kind },
  { name: 'start', type: 'timestamptz', get: (one) => one.start },
  { name: 'name', type: 'text', get: (one) => one.name },
  { name: 'outcome', type: 'text', get: (one) => one.outcome },
  { name: 'count', type: 'integer', get: (one) => one.count },
]

interface Addition {
  readonly realm: Realm
  readonly counts: readonly Count[]
}

/** Expects the order of `countsOf`, so that concurrent writers wait for each other and cannot deadlock. */
export async function addCounts(tx: Tx, realm: Realm, counts: readonly Count[]): Promise<void> {
  if (counts.length > 0) await runStatement(tx, ADD, { realm, counts })
}

const ADD = defineStatement<Addition>('add_verification_counts', (parameters) => {
  const tenant = parameters.one(({ realm }) => realm.tenantId)
  const environment = parameters.one(({ realm }) => realm.environment)
  const rows = parameters.rows(COUNT, ({ counts }) => counts)
  return `insert into verification_counts as c (tenant_id, environment, ${namesOf(COUNT)})
          select ${tenant}, ${environment}, ${selectOf(COUNT)} from ${rows.unnest('g')}
          on conflict (tenant_id, environment, step, kind, start, name, outcome) do update set count = c.count + excluded.count`
})

export interface Summed {
  readonly kind: CountKind
  readonly name: string
  readonly outcome: CountedOutcome
  readonly count: number
}

interface CountedSpan {
  readonly step: Step
  readonly from: Instant
  /** Exclusive. */
  readonly to: Instant
}

/** Sums every kind except `all` over a span. For kinds with many names (devices, templates), only the largest sums. */
export async function sumCounts(
  tx: Tx,
  realm: Realm,
  span: CountedSpan & { readonly namesMax: number },
): Promise<Summed[]> {
  return tx.query<Summed>(
    {
      name: 'sum_verification_counts',
      text: `with summed as (
               select kind, name, outcome, sum(count)::int as count from verification_counts
               where tenant_id = $1 and environment = $2 and step = $3 and start >= $4 and start < $5
                 and kind in ('template', 'reason', 'channel', 'device', 'key', 'wait')
               group by kind, name, outcome
             ), ranked as (
               select kind, name, row_number() over (partition by kind order by sum(count) desc, name) as nth
               from summed group by kind, name)
             select kind, name, outcome, count from summed join ranked using (kind, name)
             where nth <= $6 order by kind, nth`,
    },
    [realm.tenantId, realm.environment, span.step, span.from, span.to, span.namesMax],
  )
}

/** Returns the keys of the templates of a span's verifications. */
export async function listCountedTemplates(tx: Tx, realm: Realm, span: CountedSpan): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    {
      name: 'list_counted_templates',
      text: `select distinct name from verification_counts
             where tenant_id = $1 and environment = $2 and step = $3 and kind = 'template' and start >= $4 and start < $5`,
    },
    [realm.tenantId, realm.environment, span.step, span.from, span.to],
  )
  return rows.map(({ name }) => name)
}

export interface StepCount {
  readonly start: Instant
  readonly outcome: CountedOutcome
  readonly count: number
}

/** Returns the totals of each hour or day of a span that has any. */
export async function loadStepCounts(tx: Tx, realm: Realm, span: CountedSpan): Promise<StepCount[]> {
  return tx.query<StepCount>(
    {
      name: 'load_verification_step_counts',
      text: `select start, outcome, count from verification_counts
             where tenant_id = $1 and environment = $2 and step = $3 and kind = 'all' and start >= $4 and start < $5
             order by start`,
    },
    [realm.tenantId, realm.environment, span.step, span.from, span.to],
  )
}

export async function deleteCountsBeforeOfAllTenants(
  tx: Tx,
  old: { readonly step: Step; readonly before: Instant; readonly rowsMax: number },
): Promise<number> {
  const rows = await tx.query(
    {
      name: 'delete_old_verification_counts',
      text: `delete from verification_counts where ctid = any (array(
               select ctid from verification_counts where step = $1 and start < $2 limit $3)) returning 1`,
    },
    [old.step, old.before, old.rowsMax],
  )
  return rows.length
}

/**
 * Queues ended verifications for counting, in the statement that ends them: one row each, or one row per tenant once
 * all connected releases can read it.
 */
export const insertUncounted = ({ environment, at }: { readonly environment: string; readonly at: string }): string =>
  `uncounted as (
     insert into uncounted_endings
       (tenant_id, environment, created_at, ended_at, outcome, template, actor_type, actor_id, channel, error_code)
     select tenant_id, ${environment}, created_at, ${at}::timestamptz, status, template, actor_type, actor_id, channel, error_code
     from ended where not ${inForce(LATE.rowsPerBatch)}
   ), uncounted_together as (
     insert into uncounted_batches (tenant_id, environment, ended_at, endings)
     select tenant_id, ${environment}, ${at}::timestamptz,
       json_agg(json_build_array(created_at, status, template, actor_type, actor_id, channel, error_code))
     from ended where ${inForce(LATE.rowsPerBatch)} group by tenant_id
   )`

interface Uncounted {
  /** Whether there are answered verifications in rows of their own. */
  readonly single: boolean
  /** Whether there are answered verifications in rows for a whole batch of a tenant. */
  readonly together: boolean
  readonly expired: boolean
}

/**
 * Whether there is anything to count, in one read. Ignores expired verifications of a tenant that is closed for its
 * move, because a count that changes between the last copy and the comparison fails the move.
 */
export async function findUncountedAcrossTenants(
  tx: Tx,
  look: { readonly until: Instant; readonly markBefore: Instant },
): Promise<Uncounted> {
  const [found] = await tx.query<Uncounted>(
    {
      name: 'find_uncounted',
      text: `select exists (select from uncounted_endings u where ${isOfServedTenant('u')}) as single,
               exists (select from uncounted_batches u where ${isOfServedTenant('u')}) as together,
               (m.expires_at is null or m.expires_at <= $2 or v.id is not null) and not exists (
                 select from tenants where closed_until > clock_timestamp() and closed_until < 'infinity') as expired
             from (values (1)) as always (one) left join expiry_count_mark m on true
             left join lateral (
               select id from verifications
               where status in ('pending', 'cancelled') and (expires_at, id) > (m.expires_at, m.id) and expires_at <= $1
               order by expires_at, id limit 1) v on true`,
    },
    [look.until, look.markBefore],
  )
  return found ?? { single: true, together: true, expired: true }
}

type TakenEnding = Realm & Omit<Ended, 'answer'> & { channel: string; errorCode: string | null; at: string }

const asEnded = ({ channel, errorCode, at, ...one }: TakenEnding) => ({ ...one, answer: { channel, errorCode, at } })

/** Dequeues answered verifications of tenants that are served here. The caller counts them in the same transaction. */
export async function takeUncountedAcrossTenants(tx: Tx, rowsMax: number): Promise<(Realm & Ended)[]> {
  const rows = await tx.query<TakenEnding>(
    {
      name: 'take_uncounted_endings',
      text: `delete from uncounted_endings where ctid = any (array(
               select ctid from uncounted_endings u where ${isOfServedTenant('u')} limit $1))
             returning tenant_id as "tenantId", environment, created_at as "createdAt", outcome, template,
               actor_type as "actorType", actor_id as "actorId", channel, error_code as "errorCode", ended_at as at`,
    },
    [rowsMax],
  )
  return rows.map(asEnded)
}

/** Does the same for rows that each count a whole batch. */
export async function takeUncountedBatchesAcrossTenants(
  tx: Tx,
  rowsMax: number,
): Promise<{ readonly rows: number; readonly ended: (Realm & Ended)[] }> {
  const rows = await tx.query<TakenEnding & { row: string }>(
    {
      name: 'take_uncounted_batches',
      text: `with taken as (
               delete from uncounted_batches where ctid = any (array(
                 select ctid from uncounted_batches u where ${isOfServedTenant('u')} limit $1))
               returning ctid, tenant_id, environment, ended_at, endings
             )
             select t.ctid::text as row, t.tenant_id as "tenantId", t.environment, (e.of ->> 0)::timestamptz as "createdAt",
               e.of ->> 1 as outcome, e.of ->> 2 as template, e.of ->> 3 as "actorType", e.of ->> 4 as "actorId",
               e.of ->> 5 as channel, e.of ->> 6 as "errorCode", t.ended_at as at
             from taken t cross join lateral json_array_elements(t.endings) as e (of)`,
    },
    [rowsMax],
  )
  const ended = rows.map(({ row: _, ...one }) => asEnded(one))
  return { rows: new Set(rows.map(({ row }) => row)).size, ended }
}

/** Groups by realm, in the order in which rows of several realms are locked. */
export function byRealm<T extends Realm>(found: readonly T[]): [Realm, T[]][] {
  return [...Map.groupBy(found, realmName)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => {
      const [first] = group
      return first === undefined ? [] : [[{ tenantId: first.tenantId, environment: first.environment }, group]]
    })
}

interface Mark {
  readonly expiresAt: Instant
  readonly id: string
}

/** Locks and returns the position up to which expired verifications are counted; `first` if none is stored yet. */
export async function lockExpiryMark(tx: Tx, first: Mark): Promise<Mark> {
  const found = await selectExpiryMarkForUpdate(tx)
  if (found !== null) return found
  await tx.query(
    {
      name: 'begin_expiry_count_mark',
      text: 'insert into expiry_count_mark (expires_at, id) values ($1, $2) on conflict (only_one) do nothing',
    },
    [first.expiresAt, first.id],
  )
  const begun = await selectExpiryMarkForUpdate(tx)
  if (begun === null) throw new Error('bug: the mark of counted expiries vanished')
  return begun
}

async function selectExpiryMarkForUpdate(tx: Tx): Promise<Mark | null> {
  const [mark] = await tx.query<Mark>({
    name: 'lock_expiry_count_mark',
    text: 'select expires_at as "expiresAt", id from expiry_count_mark for update',
  })
  return mark ?? null
}

export async function moveExpiryMark(tx: Tx, mark: Mark): Promise<void> {
  await tx.query({ name: 'move_expiry_count_mark', text: 'update expiry_count_mark set expires_at = $1, id = $2' }, [
    mark.expiresAt,
    mark.id,
  ])
}

interface Unanswered extends Realm, Mark {
  readonly template: string | null
  readonly createdAt: Instant
  readonly actorType: string
  readonly actorId: string
}

/** Finds verifications that expired after the mark and until `until`, in the order of their expiry. */
export async function findUnansweredAcrossTenants(
  tx: Tx,
  range: { readonly after: Mark; readonly until: Instant; readonly rowsMax: number },
): Promise<Unanswered[]> {
  return tx.query<Unanswered>(
    {
      name: 'find_unanswered_verifications',
      text: `select id, tenant_id as "tenantId", environment, template, created_at as "createdAt",
               expires_at as "expiresAt", actor_type as "actorType", actor_id as "actorId"
             from verifications v
             where status in ('pending', 'cancelled') and (expires_at, id) > ($1, $2) and expires_at <= $3 and ${isOfServedTenant('v')}
             order by expires_at, id limit $4`,
    },
    [range.after.expiresAt, range.after.id, range.until, range.rowsMax],
  )
}
