// Reads and replaces due times. At a due time a realm may have due webhooks; the time may be too early, but never too late.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { isOfServedTenant } from '../../../core/tenants/store/closed.ts'
import type { Db, Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

export interface ChoiceTerms {
  readonly now: Instant
  /** How many deliveries may be leased in total, of which at most `freeForRunning` for realms that are already sending. */
  readonly free: number
  readonly freeForRunning: number
  /**
   * By realm (`tenant|environment`): how many deliveries it is sending, and how many it may. A missing realm sends none
   * and may send `shareOfOthers`.
   */
  readonly realms: ReadonlyMap<string, { readonly running: number; readonly share: number }>
  readonly shareOfOthers: number
}

export interface Choice {
  readonly deliveryIds: readonly string[]
  /** The verifications of these deliveries. */
  readonly verificationIds: readonly string[]
  /** Whether more deliveries may be due than the limits allowed. */
  readonly mayHaveMore: boolean
  /** Realms whose due time has come, but without a due delivery. */
  readonly tooEarly: readonly TooEarly[]
}

export interface TooEarly extends Realm {
  readonly dueAt: Instant
}

/** A row for one realm that is due. */
interface ChoiceRow extends TooEarly {
  readonly ids: readonly string[] | null
  readonly verificationIds: readonly string[] | null
  readonly mayHaveMore: boolean
  readonly isTooEarly: boolean
}

/** Spelled exactly as in the index of pending deliveries, so that the planner can use this index. */
const REALM = `tenant_id || '|' || environment`
const pendingOf = (realm: string) => `state = 'pending' and ${REALM} = ${realm}`
const timeHasCome = (realm: string, now: string) => `(${REALM}, next_at) <= (${realm}, ${now})`
const isFree = (now: string) => `(leased_until is null or leased_until <= ${now})`

/**
 * Chooses due deliveries without locks: first of realms that send least, then the longest due. Reads at most as many
 * deliveries of a realm as it may send, however large its backlog.
 */
export async function chooseDueDeliveries(tx: Tx, terms: ChoiceTerms): Promise<Choice> {
  const known = [...terms.realms.values()]
  const rows = await tx.query<ChoiceRow>(
    {
      name: 'choose_due_deliveries',
      text: `with known as (
               select * from unnest($4::text[], $5::integer[], $6::integer[]) as k (realm, running, share)
             ), realms as (
               select t.tenant_id, t.environment, t.tenant_id || '|' || t.environment as realm, min(t.due_at) as due_at,
                 coalesce(min(k.running), 0) as running,
                 greatest(0, coalesce(min(k.share), $7) - coalesce(min(k.running), 0)) as room
               from webhook_due_times t left join known k on k.realm = t.tenant_id || '|' || t.environment
               where t.due_at <= $1 and ${isOfServedTenant('t')} group by t.tenant_id, t.environment
             ), candidates as (
               -- nth: how many deliveries its realm is sending once this one is leased.
               select r.*, d.id, d.verification_id, d.next_at, r.running + d.nth as nth from realms r left join lateral (
                 select id, verification_id, next_at, row_number() over (order by next_at) as nth from (
                   select id, verification_id, next_at from webhook_deliveries
                   where ${pendingOf('r.realm')} and ${timeHasCome('r.realm', '$1')} and ${isFree('$1')}
                   order by next_at limit r.room) longest
               ) d on true
             ), ranked as (
               select *, row_number() over (order by nth, next_at) as rank from candidates
             ), chosen as (
               select *, id is not null and rank <= $2 and (nth = 1 or rank <= $3) as is_chosen from ranked
             )
             select tenant_id as "tenantId", environment, min(due_at) as "dueAt", array_agg(id) filter (where is_chosen) as ids,
               array_agg(verification_id) filter (where is_chosen) as "verificationIds",
               count(id) >= min(room) or count(id) > count(*) filter (where is_chosen) as "mayHaveMore",
               count(id) = 0 and min(room) > 0 as "isTooEarly"
             from chosen group by tenant_id, environment`,
      replanEachCall: true,
    },
    [
      terms.now,
      terms.free,
      terms.freeForRunning,
      [...terms.realms.keys()],
      known.map(({ running }) => running),
      known.map(({ share }) => share),
      terms.shareOfOthers,
    ],
  )
  return {
    deliveryIds: rows.flatMap(({ ids }) => ids ?? []),
    verificationIds: rows.flatMap(({ verificationIds }) => verificationIds ?? []),
    mayHaveMore: rows.some((row) => row.mayHaveMore),
    tooEarly: rows.filter(({ isTooEarly }) => isTooEarly),
  }
}

/** Finds the first due time of all realms; null: none. Much cheaper than choosing. */
export async function findDueTimeAcrossTenants(tx: Tx): Promise<Instant | null> {
  const [row] = await tx.query<{ dueAt: Instant }>({
    name: 'find_due_time',
    text: 'select due_at as "dueAt" from webhook_due_times order by due_at limit 1',
  })
  return row?.dueAt ?? null
}

/** SQL for when a realm's first pending delivery is due, or its lease expires if a worker has it; null: none is pending. */
const firstDue = (realm: string, now: string) => {
  const pending = `from webhook_deliveries where ${pendingOf(realm)}`
  return `coalesce(
    (select next_at ${pending} and ${timeHasCome(realm, now)} and ${isFree(now)} order by next_at limit 1),
    least((select min(leased_until) ${pending} and ${timeHasCome(realm, now)}),
      (select next_at ${pending} and (${REALM}, next_at) > (${realm}, ${now}) order by next_at limit 1)))`
}

/**
 * Sets the due times of realms to when their first delivery is due. Two statements, so that the second sees commits
 * from before the first took its locks. Skips locked rows, whose transaction is making a delivery due.
 */
export async function replaceDueTimes(db: Db, realms: readonly Realm[], now: Instant): Promise<void> {
  await db.transaction(async (tx) => {
    const locked = await tx.query<{ tenantId: string; id: number }>(
      {
        name: 'lock_due_times',
        // Not flushed: a power failure can only bring back a time that is too early.
        text: `with soft as (select set_config('synchronous_commit', 'off', true))
               select t.tenant_id as "tenantId", t.id from soft, unnest($1::text[], $2::text[]) as r (tenant_id, environment)
               join webhook_due_times t on t.tenant_id = r.tenant_id and t.environment = r.environment
               for update of t skip locked`,
        replanEachCall: true,
      },
      [realms.map(({ tenantId }) => tenantId), realms.map(({ environment }) => environment)],
    )
    if (locked.length === 0) return
    await tx.finish(
      {
        name: 'replace_due_times',
        text: `with replaced as (
                 delete from webhook_due_times t using unnest($3::text[], $1::bigint[]) as g (tenant_id, id)
                 where t.tenant_id = g.tenant_id and t.id = g.id returning t.tenant_id, t.environment
               ), realms as materialized (
                 select distinct tenant_id, environment, ${REALM} as realm from replaced
               )
               insert into webhook_due_times (tenant_id, environment, due_at)
               select first.* from (
                 select r.tenant_id, r.environment, ${firstDue('r.realm', '$2')} as due_at from realms r) first
               where first.due_at is not null`,
        replanEachCall: true,
      },
      [locked.map(({ id }) => id), now, locked.map(({ tenantId }) => tenantId)],
    )
  })
}

/** Adds a due time for each realm whose first pending delivery has none. Returns how many; 0 is normal. */
export async function addMissingDueTimesAcrossTenants(tx: Tx, now: Instant): Promise<number> {
  const added = await tx.query(
    {
      name: 'add_missing_due_times',
      text: `insert into webhook_due_times (tenant_id, environment, due_at)
             select first.* from (
               select r.tenant_id, r.environment, ${firstDue('r.realm', '$1')} as due_at
               from (select t.id as tenant_id, e.environment, t.id || '|' || e.environment as realm from tenants t
                     cross join unnest(array['test', 'live']) as e (environment)) r) first
             where first.due_at is not null and not exists (select from webhook_due_times t
               where t.tenant_id = first.tenant_id and t.environment = first.environment and t.due_at <= first.due_at)
             returning 1 as added`,
      replanEachCall: true,
    },
    [now],
  )
  return added.length
}
