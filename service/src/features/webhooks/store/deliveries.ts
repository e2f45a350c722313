// Stores and lists webhook deliveries. delivery-leases.ts leases and ends them.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { isOfServedTenant } from '../../../core/tenants/store/closed.ts'
import type { UniversalStep } from '../../../core/verifications/domain/universal-status.ts'
import { dayOf, type Lapsed, lapsedOf, lapsedValues, lockedVerification } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Fragment } from '../../../platform/postgres/fragments.ts'
import { type Column, namesOf, selectOf } from '../../../platform/postgres/statement.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import type { Delivery, DeliveryState } from '../domain/delivery.ts'
import type { EventType } from '../domain/event.ts'

/** Wakes the workers of every replica. */
export const DELIVERY_CHANNEL = 'webhook_deliveries'

export interface NewDelivery {
  readonly verificationId: string
  readonly type: EventType | UniversalStep
  /** Unique within a realm, because it is the cursor of the log's pages. */
  readonly createdAt: Instant
}

/** Deliveries to insert, due immediately. */
export interface NewDeliveries {
  readonly deliveries: readonly (NewDelivery & { readonly id: string; readonly realm: Realm })[]
  readonly now: Instant
}

const DELIVERY: readonly Column<NewDeliveries['deliveries'][number]>[] = [
  { name: 'id', type: 'text', get: (one) => one.id },
  { name: 'tenant_id', type: 'text', get: ({ realm }) => realm.tenantId },
  { name: 'environment', type: 'text', get: ({ realm }) => realm.environment },
  { name: 'verification_id', type: 'text', get: (one) => one.verificationId },
  { name: 'type', type: 'text', get: (one) => one.type },
  { name: 'created_at', type: 'timestamptz', get: (one) => one.createdAt },
]

export const ENQUEUEING: Fragment<NewDeliveries> = {
  name: 'enqueue_deliveries',
  ctes(parameters) {
    const rows = parameters.rows(DELIVERY, ({ deliveries }) => deliveries)
    const now = parameters.one((input) => input.now)
    return `enqueued as (
            insert into webhook_deliveries (${namesOf(DELIVERY)}, next_at)
            select ${selectOf(DELIVERY)}, ${now}::timestamptz from ${rows.unnest('d')}
          )`
  },
  result: () => `pg_notify('${DELIVERY_CHANNEL}', '')`,
}

/** Inserts a delivery for a step of a pending verification, due immediately. A step is reported once. */
export async function insertStepDelivery(
  tx: Tx,
  realm: Realm,
  delivery: NewDelivery & { readonly id: string; readonly type: UniversalStep },
): Promise<void> {
  await tx.query(
    {
      name: 'insert_step_delivery',
      text: `with locked as (${lockedVerification({ tenant: '$1', id: '$4', day: '$7' })}), enqueued as (
               insert into webhook_deliveries (id, tenant_id, environment, verification_id, type, created_at, next_at)
               select $3, $1, $2, locked.id, $5, $6::timestamptz, $6::timestamptz from locked
               on conflict do nothing returning 1
             )
             select pg_notify('${DELIVERY_CHANNEL}', '') from enqueued`,
      replanEachCall: true,
    },
    [
      realm.tenantId,
      realm.environment,
      delivery.id,
      delivery.verificationId,
      delivery.type,
      delivery.createdAt,
      dayOf(tx.sealer, delivery.verificationId),
    ],
  )
}

/** SQL for a delivery's event type. An earlier release wrote none and sent only endings, and its verifications have no day. */
export const typeOf = (alias: string) => `coalesce(${alias}.type,
  (select 'verification.' || ended.status from verifications ended
   where ended.id = ${alias}.verification_id and ended.tenant_id = ${alias}.tenant_id and ended.day = 0))`

interface DeliveryRow {
  id: string
  tenant_id: string
  environment: Environment
  verification_id: string
  type: string
  state: DeliveryState
  attempts: number
  created_at: string
  next_at: string
}

const DELIVERY_COLUMNS = `d.id, d.tenant_id, d.environment, d.verification_id, ${typeOf('d')} as type, d.state, d.attempts,
  d.created_at, d.next_at`

export async function loadDelivery(tx: Tx, realm: Realm, id: string): Promise<Delivery | null> {
  const [row] = await tx.query<DeliveryRow>(
    {
      name: 'load_delivery',
      text: `select ${DELIVERY_COLUMNS} from webhook_deliveries d where id = $3 and tenant_id = $1 and environment = $2`,
    },
    [realm.tenantId, realm.environment, id],
  )
  return row === undefined ? null : toDelivery(row)
}

interface DeliveryFilter {
  readonly verificationId: string | null
  readonly state: DeliveryState | null
  readonly type: string | null
}

/** How many rows a page scans. Finding a rare match may take several pages. */
const SCANNED_MAX = 2_000

interface Scan {
  readonly scanned: number
  readonly last: string | null
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[]
  /** Cursor of the next page; null: this is the last page. */
  readonly next: Instant | null
}

/**
 * Lists a realm's deliveries from before `before`, newest first. Failed and held deliveries have an index; other
 * filters scan a limited number of rows.
 */
export async function listDeliveries(
  tx: Tx,
  realm: Realm,
  page: DeliveryFilter & { readonly before: Instant; readonly limit: number },
): Promise<DeliveryPage> {
  const isIndexed = page.state === 'failed' || page.state === 'held'
  const scannedMax = page.state === null && page.type === null ? page.limit : SCANNED_MAX
  const rows = await tx.query<Scan & (DeliveryRow | { readonly id: null })>(
    {
      name: isIndexed ? `list_deliveries_${page.state}` : 'list_deliveries',
      text: `with scanned as materialized (
               select * from webhook_deliveries
               where tenant_id = $1 and environment = $2 and created_at < $3 and ($5::text is null or verification_id = $5)
                 ${isIndexed ? `and state = '${page.state}'` : ''}
               order by created_at desc limit $8
             ), found as (
               select ${DELIVERY_COLUMNS} from scanned d
               where ($6::text is null or d.state = $6) and ($7::text is null or ${typeOf('d')} = $7)
               order by d.created_at desc limit $4
             )
             select found.*, (select count(*)::int from scanned) as scanned, (select min(created_at) from scanned) as last
             from (values (1)) as always (one) left join found on true order by found.created_at desc`,
    },
    [
      realm.tenantId,
      realm.environment,
      page.before,
      page.limit,
      page.verificationId,
      page.state,
      page.type,
      scannedMax,
    ],
  )
  const deliveries = rows.flatMap((row) => (row.id === null ? [] : [toDelivery(row)]))
  if (deliveries.length === page.limit) return { deliveries, next: deliveries.at(-1)?.createdAt ?? null }
  const [first] = rows
  return { deliveries, next: first?.scanned === scannedMax ? first.last : null }
}

/** How many of the newest failed deliveries are searched for retriable ones. */
const FAILED_SCANNED_MAX = 10_000

/**
 * Makes a realm's newest failed deliveries since `since` due now for one attempt, and returns how many. `attempts`:
 * attempts of the schedule minus one. Skips deliveries with `triedMax` attempts, or with an attempt after
 * `triedBefore`.
 */
export async function reviveFailed(
  tx: Tx,
  realm: Realm,
  which: {
    readonly since: Instant
    readonly now: Instant
    readonly triedBefore: Instant
    readonly triedMax: number
    readonly rowsMax: number
    readonly attempts: number
  },
): Promise<number> {
  const rows = await tx.query(
    {
      name: 'revive_failed_deliveries',
      text: `with scanned as materialized (
               select id, created_at from webhook_deliveries
               where tenant_id = $1 and environment = $2 and state = 'failed' and created_at >= $3
               order by created_at desc limit ${FAILED_SCANNED_MAX}
             ), chosen as (
               select l.id from scanned l
               where not exists (select from webhook_attempts a where a.delivery_id = l.id and a.tenant_id = $1
                                 order by a.id desc offset $8 - 1 limit 1)
                 and not exists (select from (select started_at from webhook_attempts a where a.delivery_id = l.id and a.tenant_id = $1
                                              order by a.id desc limit 1) as last where last.started_at > $7)
               order by l.created_at desc limit $5
             ), locked as (
               select d.id from webhook_deliveries d join chosen c on c.id = d.id where d.state = 'failed' and d.tenant_id = $1
               order by d.id for update of d
             ), revived as (
               update webhook_deliveries d set state = 'pending', next_at = $4,
                 attempts = greatest(d.attempts, $6) from locked where d.id = locked.id and d.tenant_id = $1 returning 1
             )
             select count(*)::int as revived, pg_notify('${DELIVERY_CHANNEL}', '') from revived`,
    },
    [
      realm.tenantId,
      realm.environment,
      which.since,
      which.now,
      which.rowsMax,
      which.attempts,
      which.triedBefore,
      which.triedMax,
    ],
  )
  return (rows[0] as { revived: number } | undefined)?.revived ?? 0
}

/** For metrics: how many deliveries this installation has to send, and for how long the oldest has been due. */
export async function measureQueueAcrossTenants(
  tx: Tx,
  now: Instant,
): Promise<{ pending: number; oldestDueSeconds: number }> {
  const [row] = await tx.query<{ pending: number; oldest: number | null }>(
    {
      name: 'measure_delivery_queue',
      text: `select count(*) as pending,
                    extract(epoch from $1::timestamptz - min(next_at) filter (
                      where next_at <= $1 and (leased_until is null or leased_until <= $1)))::float8 as oldest
             from webhook_deliveries d where state = 'pending' and ${isOfServedTenant('d')}`,
    },
    [now],
  )
  return { pending: row?.pending ?? 0, oldestDueSeconds: Math.max(0, row?.oldest ?? 0) }
}

function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    environment: row.environment,
    verificationId: row.verification_id,
    type: row.type,
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAt: row.state === 'pending' ? row.next_at : null,
  }
}

/** Returns which of these verifications have a delivery that is pending, being sent or held. */
export async function findUndelivered(tx: Tx, realm: Realm, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>(
    {
      name: 'find_undelivered',
      text: `select distinct verification_id as id from webhook_deliveries
             where verification_id = any ($3::text[]) and tenant_id = $1 and environment = $2
               and (state in ('pending', 'held') or leased_until is not null)`,
    },
    [realm.tenantId, realm.environment, ids],
  )
  return rows.map(({ id }) => id)
}

/** Deletes the deliveries of erased verifications. Returns how many, and the origins where some of them had failed. */
export async function eraseDeliveries(
  tx: Tx,
  realm: Realm,
  ids: readonly string[],
): Promise<{ readonly count: number; readonly failedOrigins: readonly string[] }> {
  const [erased] = await tx.query<{ count: number; origins: string[] | null }>(
    {
      name: 'erase_deliveries',
      // Locks in the order of ids, as all code does that locks several deliveries.
      text: `with taken as materialized (
               select id from webhook_deliveries
               where verification_id = any ($3::text[]) and tenant_id = $1 and environment = $2 order by id for update),
             erased as (delete from webhook_deliveries where id in (select id from taken) and tenant_id = $1 returning failed_at_origin)
             select count(*)::int as count,
               array_agg(distinct failed_at_origin) filter (where failed_at_origin is not null) as origins from erased`,
    },
    [realm.tenantId, realm.environment, ids],
  )
  return { count: erased?.count ?? 0, failedOrigins: erased?.origins ?? [] }
}

/** Deletes those of these deliveries whose verification was deleted. Otherwise they would be leased again and again. */
export async function eraseOrphans(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(
    {
      name: 'erase_orphaned_deliveries',
      text: `delete from webhook_deliveries d where d.id = any ($1::text[]) and not exists (
               select from verifications v where v.id = d.verification_id and v.tenant_id = d.tenant_id)`,
    },
    [ids],
  )
}

/** Deletes the deliveries of a lapsed day, for all tenants, and locks in the order of ids. */
export async function eraseDeliveriesOfLapsed(tx: Tx, lapsed: Lapsed): Promise<void> {
  await tx.query(
    {
      name: 'erase_deliveries_of_lapsed',
      text: `with taken as materialized (
               select d.id, d.tenant_id from webhook_deliveries d
               join (${lapsedOf('webhook_deliveries')}) v on d.verification_id = v.id and d.tenant_id = v.tenant_id
               order by d.id for update of d)
             delete from webhook_deliveries d using taken where d.id = taken.id and d.tenant_id = taken.tenant_id`,
      replanEachCall: true,
    },
    lapsedValues(lapsed),
  )
}
