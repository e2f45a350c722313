// Opens and closes a tenant in one installation, for its move to another. Of two concurrent changes, one fails.

import type { Db, Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import { closeTrails, handOverTrails, openTrails, reopenTrails } from '../../audit/index.ts'
import { holdDays, searchAllExpired } from '../../retention/index.ts'

export interface Whereabouts {
  /** By the store's clock; null if the tenant is open. */
  readonly closedUntil: string | null
  readonly isClosed: boolean
  readonly movedTo: string | null
  readonly movedFrom: string | null
  readonly arrivedAt: Instant | null
  /** As in `UnservedCopy`. */
  readonly openedThereAt: Instant | null
}

/** null if the tenant does not exist. */
export async function loadWhereabouts(tx: Tx, tenantId: string): Promise<Whereabouts | null> {
  const [row] = await tx.query<Whereabouts>(
    {
      name: 'move_load_whereabouts',
      text: `select t.closed_until::text as "closedUntil", coalesce(t.closed_until > clock_timestamp(), false) as "isClosed",
               t.moved_to as "movedTo", t.moved_from as "movedFrom", t.arrived_at as "arrivedAt", t.opened_there_at as "openedThereAt"
             from tenants t where t.id = $1`,
    },
    [tenantId],
  )
  return row ?? null
}

/**
 * Stops serving the tenant until a time, after which it is served again automatically. Waits for writers that have
 * locked a trail. Returns the time; null if the tenant is already closed, or if its trail must first record a day that
 * is being dropped.
 */
export function closeForMove(db: Db, tenantId: string, seconds: number): Promise<string | null> {
  return db.transaction(async (tx) => {
    await holdDays(tx)
    const [row] = await tx.query<{ until: string }>(
      {
        name: 'move_close_tenant',
        text: `update tenants t set closed_until = clock_timestamp() + make_interval(secs => $2)
               where t.id = $1 and (t.closed_until is null or t.closed_until <= clock_timestamp())
                 and not exists (select from lapsed_verifications l where l.tenant_id = t.id)
               returning t.closed_until::text as until`,
      },
      [tenantId, seconds],
    )
    if (row === undefined) return null
    await closeTrails(tx, tenantId, row.until)
    await forgetCaches(tx)
    return row.until
  })
}

/** Runs `work` under a lock, so that no other command moves this tenant away from here at the same time. */
export function whileMoving<T>(db: Db, tenantId: string, work: () => Promise<T>): Promise<T | 'under_way'> {
  return db.transaction(async (tx) => {
    await tx.query({
      name: 'move_keep_lock',
      text: `select set_config('idle_in_transaction_session_timeout', '0', true)`,
    })
    const [row] = await tx.query<{ held: boolean }>(
      {
        name: 'move_lock',
        text: `select pg_try_advisory_xact_lock(hashtextextended('tenants.move|' || $1, 0)) as held`,
      },
      [tenantId],
    )
    return row?.held === true ? work() : 'under_way'
  })
}

/** Serves the tenant again immediately. */
export function reopen(db: Db, tenantId: string, until: string): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.query(
      {
        name: 'move_reopen_tenant',
        text: 'update tenants set closed_until = null where id = $1 and closed_until = $2::text::timestamptz',
      },
      [tenantId, until],
    )
    await reopenTrails(tx, tenantId, until)
    await forgetCaches(tx)
  })
}

interface HandOver {
  readonly to: string
  readonly at: Instant
  /** Records the move on the tenant's trails, so that a restored store can repeat it. */
  readonly record: (tx: Tx) => Promise<void>
}

/** Repeats the decision in a store that was restored to an earlier state. */
export function repeatHandOver(db: Db, tenantId: string, { to, at, record }: HandOver): Promise<void> {
  return db.transaction(async (tx) => {
    const rows = await tx.query(
      {
        name: 'move_repeat_hand_over',
        text: `update tenants set closed_until = 'infinity', moved_to = $2, copy_since = $3, opened_there_at = null
               where id = $1 and moved_to is null returning 1`,
      },
      [tenantId, to, at],
    )
    if (rows.length !== 1) return
    await openTrails(tx, tenantId)
    await record(tx)
    await closeTrails(tx, tenantId, 'infinity')
    await forgetCaches(tx)
  })
}

/**
 * The decision: from now on, only the other installation serves the tenant. Changes nothing and returns false after the
 * time of `closeForMove`, because this installation then serves the tenant again.
 */
export function handOverTenant(
  db: Db,
  tenantId: string,
  { until, ...handOver }: HandOver & { readonly until: string },
): Promise<boolean> {
  const { to, at, record } = handOver
  return db
    .transaction(async (tx) => {
      const areTrailsHandedOver = await handOverTrails(tx, tenantId, until)
      const tenants = await tx.query(
        {
          name: 'move_hand_over_tenant',
          text: `update tenants t set closed_until = 'infinity', moved_to = $3, copy_since = $4
               where t.id = $1 and t.closed_until = $2::text::timestamptz and t.closed_until > clock_timestamp()
               returning 1`,
        },
        [tenantId, until, to, at],
      )
      if (!areTrailsHandedOver || tenants.length !== 1) throw TOO_LATE
      // This transaction has locked the heads, so no other transaction sees them open.
      await openTrails(tx, tenantId)
      await record(tx)
      await closeTrails(tx, tenantId, 'infinity')
      await forgetCaches(tx)
      return true
    })
    .catch((error: unknown) => {
      if (error === TOO_LATE) return false
      throw error
    })
}

const TOO_LATE = new Error('the tenant is served here again')

/** Opens an arrived tenant. Returns false if it was already open. */
export async function open(tx: Tx, tenantId: string, at: Instant): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'move_open_tenant',
      text: `update tenants set closed_until = null, arrived_at = $2, copy_since = null
             where id = $1 and closed_until = 'infinity' and moved_from is not null and moved_to is null and arrived_at is null returning 1`,
    },
    [tenantId, at],
  )
  if (rows.length !== 1) return false
  await openTrails(tx, tenantId)
  await searchAllExpired(tx)
  await forgetCaches(tx)
  return true
}

const IS_ARRIVING = `t.closed_until = 'infinity' and t.moved_from is not null and t.moved_to is null and t.arrived_at is null`

/**
 * Keeps the tenant from being opened here until the transaction ends. Returns false if it is already open, or was
 * deleted.
 */
export async function holdArriving(tx: Tx, tenantId: string): Promise<boolean> {
  const rows = await tx.query(
    { name: 'move_hold_arriving', text: `select from tenants t where t.id = $1 and ${IS_ARRIVING} for share` },
    [tenantId],
  )
  return rows.length === 1
}

export interface ArrivingTenant {
  readonly id: string
  readonly movedFrom: string
}

/** Tenants that were copied here and are not open here. */
export async function findArrivingAcrossTenants(tx: Tx): Promise<ArrivingTenant[]> {
  return tx.query<ArrivingTenant>({
    name: 'find_arriving_tenants',
    text: `select t.id, t.moved_from as "movedFrom" from tenants t where ${IS_ARRIVING} order by t.id limit ${ARRIVING_MAX}`,
  })
}

const ARRIVING_MAX = 1_000

export interface UnservedCopy {
  readonly id: string
  /** null if the tenant was not opened here. */
  readonly movedTo: string | null
  readonly since: Instant
  /** When this installation learned that the tenant is open at its new place; null if not yet. */
  readonly openedThereAt: Instant | null
}

const COPY = 't.id, t.moved_to as "movedTo", t.copy_since as since, t.opened_there_at as "openedThereAt"'

/** Copies of tenants that another installation serves. */
export async function findUnservedCopiesAcrossTenants(tx: Tx, before: Instant): Promise<UnservedCopy[]> {
  return tx.query<UnservedCopy>(
    {
      name: 'find_unserved_copies',
      text: `select ${COPY} from tenants t
             where t.copy_since <= $1 and t.closed_until = 'infinity' order by t.id limit ${ARRIVING_MAX}`,
    },
    [before],
  )
}

/** null if there is none, or if its rows were deleted. */
export async function loadUnservedCopy(tx: Tx, tenantId: string): Promise<UnservedCopy | null> {
  const [row] = await tx.query<UnservedCopy>(
    {
      name: 'load_unserved_copy',
      text: `select ${COPY} from tenants t where t.id = $1 and t.copy_since is not null and t.closed_until = 'infinity'`,
    },
    [tenantId],
  )
  return row ?? null
}

/**
 * Keeps the tenant from being copied again or opened, until the transaction ends. Returns false if either has happened.
 */
export async function holdCopy(tx: Tx, { id, since, movedTo }: UnservedCopy): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'move_hold_copy',
      text: `select from tenants t where t.id = $1 and t.closed_until = 'infinity' and t.copy_since = $2
               and t.moved_to is not distinct from $3 for no key update`,
    },
    [id, since, movedTo],
  )
  return rows.length === 1
}

/** Records only the first time. */
export async function noteOpenedThere(tx: Tx, tenantId: string, at: Instant): Promise<void> {
  await tx.query(
    {
      name: 'move_note_opened_there',
      text: 'update tenants set opened_there_at = $2 where id = $1 and moved_to is not null and opened_there_at is null',
    },
    [tenantId, at],
  )
}

/** Whether the tenant has moved here and was opened. The old address redirects here, so this is not secret. */
export async function hasArrived(tx: Tx, tenantId: string): Promise<boolean> {
  const rows = await tx.query(
    { name: 'move_has_arrived', text: 'select from tenants where id = $1 and arrived_at is not null' },
    [tenantId],
  )
  return rows.length === 1
}

/** Records when the tenant was copied; `since` null: the copied rows were deleted. */
export async function noteCopy(tx: Tx, tenantId: string, since: Instant | null): Promise<void> {
  const text = `update tenants set copy_since = $2 where id = $1 and closed_until = 'infinity'`
  await tx.query({ name: 'move_note_copy', text }, [tenantId, since])
}

/** Processes cache keys, clients and more for at most a second. This clears the caches now. */
async function forgetCaches(tx: Tx): Promise<void> {
  await tx.query({
    name: 'move_forget_caches',
    text: `select pg_notify(channel, '') from unnest(array['api_keys', 'oidc_clients', 'anchors', 'access_keys', 'templates', 'registrations', 'kept_keys']) as c (channel)`,
  })
}

/** Waits for requests that were admitted before the tenant was closed. */
export async function settle(tx: Tx, seconds: number): Promise<void> {
  await tx.query({ name: 'move_settle', text: 'select pg_sleep($1)' }, [seconds])
}

export async function millisecondsSinceClosing(
  tx: Tx,
  { until, seconds }: { readonly until: string; readonly seconds: number },
): Promise<number> {
  const [row] = await tx.query<{ ms: number }>(
    {
      name: 'move_measure_stop',
      text: `select (extract(epoch from clock_timestamp() - $1::text::timestamptz + make_interval(secs => $2)) * 1000)::int as ms`,
    },
    [until, seconds],
  )
  return row?.ms ?? 0
}
