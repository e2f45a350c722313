// Stores destinations with failures since their last success. Some of them are disabled.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { isOfServedTenant } from '../../../core/tenants/store/closed.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

export interface Destination extends Realm {
  readonly origin: string
}

export interface FailingDestination extends Destination {
  readonly failingSince: Instant
  readonly failures: number
  readonly noticedAt: Instant | null
  readonly disabledAt: Instant | null
}

/** SQL: a delivery that failed at this destination still exists. */
const usedBy = (alias: string) => `exists (select from webhook_deliveries d
  where d.tenant_id = ${alias}.tenant_id and d.environment = ${alias}.environment and d.failed_at_origin = ${alias}.origin)`

const COLUMNS = `tenant_id as "tenantId", environment, origin, failing_since as "failingSince", failures,
  noticed_at as "noticedAt", disabled_at as "disabledAt"`

/** Adds a failure to each destination and returns their states. Omits those whose deliveries were erased in the meantime. */
export async function countFailures(
  tx: Tx,
  destinations: readonly Destination[],
  now: Instant,
): Promise<FailingDestination[]> {
  return tx.query<FailingDestination>(
    {
      name: 'count_destination_failures',
      text: `insert into webhook_destinations as w (tenant_id, environment, origin, failing_since, failed_at, failures)
             select g.tenant_id, g.environment, g.origin, $4, $4, count(*)
             from unnest($1::text[], $2::text[], $3::text[]) as g (tenant_id, environment, origin)
             where ${usedBy('g')}
             group by 1, 2, 3 order by 1, 2, 3
             on conflict (tenant_id, environment, origin) do update set failures = w.failures + excluded.failures, failed_at = $4
             returning ${COLUMNS}`,
    },
    [...columnsOf(destinations), now],
  )
}

/** Resets the failures after a success. A disabled destination stays disabled until staff enable it. */
export async function clearFailures(tx: Tx, destinations: readonly Destination[]): Promise<void> {
  await tx.query(
    {
      name: 'clear_destination_failures',
      text: `delete from webhook_destinations w using (
               select distinct * from unnest($1::text[], $2::text[], $3::text[]) as g (tenant_id, environment, origin)) g
             where w.tenant_id = g.tenant_id and w.environment = g.environment and w.origin = g.origin and w.disabled_at is null`,
    },
    columnsOf(destinations),
  )
}

/** Returns true if this call made the change. */
export async function markDestination(
  tx: Tx,
  destination: Destination,
  mark: { step: 'notice' | 'disable'; now: Instant },
): Promise<boolean> {
  const column = mark.step === 'notice' ? 'noticed_at' : 'disabled_at'
  const rows = await tx.query(
    {
      name: `mark_destination_${mark.step}`,
      text: `update webhook_destinations set ${column} = $4
             where tenant_id = $1 and environment = $2 and origin = $3 and ${column} is null returning 1 as marked`,
    },
    [destination.tenantId, destination.environment, destination.origin, mark.now],
  )
  return rows.length === 1
}

/** Lists all destinations of a realm that fail or are disabled. */
export async function listFailingDestinations(tx: Tx, realm: Realm): Promise<FailingDestination[]> {
  return tx.query<FailingDestination>(
    {
      name: 'list_failing_destinations',
      text: `select ${COLUMNS} from webhook_destinations where tenant_id = $1 and environment = $2 order by origin`,
    },
    [realm.tenantId, realm.environment],
  )
}

/** Returns those of these destinations that fail, by `tenant|environment|origin`, and whether each is disabled. */
export async function findFailing(
  tx: Tx,
  destinations: readonly Destination[],
): Promise<Map<string, { disabled: boolean }>> {
  const rows = await tx.query<{ name: string; disabled: boolean }>(
    {
      name: 'find_failing_destinations',
      text: `select w.tenant_id || '|' || w.environment || '|' || w.origin as name, w.disabled_at is not null as disabled
             from webhook_destinations w join (
               select distinct * from unnest($1::text[], $2::text[], $3::text[]) as g (tenant_id, environment, origin)) g
             on w.tenant_id = g.tenant_id and w.environment = g.environment and w.origin = g.origin`,
    },
    columnsOf(destinations),
  )
  return new Map(rows.map(({ name, disabled }) => [name, { disabled }]))
}

/** Deletes destinations that have not failed since `quietSince`. Disabled ones stay until staff enable them. */
export async function forgetQuietDestinationsAcrossTenants(tx: Tx, quietSince: Instant): Promise<number> {
  const rows = await tx.query(
    {
      name: 'forget_quiet_destinations',
      text: 'delete from webhook_destinations where disabled_at is null and failed_at < $1 returning 1 as gone',
    },
    [quietSince],
  )
  return rows.length
}

/**
 * Deletes a destination and its audit details, if no delivery that failed there is left. Two statements, so that the
 * second sees concurrent writes. Returns the entries that lost details: the caller must record them.
 */
export async function forgetUnusedDestination(tx: Tx, destination: Destination): Promise<readonly number[]> {
  const { tenantId, environment, origin } = destination
  await tx.query(
    {
      name: 'forget_unused_destination',
      text: `delete from webhook_destinations w
             where w.tenant_id = $1 and w.environment = $2 and w.origin = $3 and not ${usedBy('w')}`,
    },
    [tenantId, environment, origin],
  )
  const lost = await tx.query<{ seq: number }>(
    {
      name: 'forget_unused_destination_details',
      text: `delete from audit_details a where a.tenant_id = $1 and a.environment = $2 and a.day = 0 and a.object_id = $2
               and a.details ->> 'origin' = $3 and not exists (select from webhook_deliveries d
                 where d.tenant_id = $1 and d.environment = $2 and d.failed_at_origin = $3)
             returning a.seq`,
    },
    [tenantId, environment, origin],
  )
  return lost.map(({ seq }) => seq).sort((a, b) => a - b)
}

/** Whether a delivery that failed there is left. */
export async function isDestinationUsed(tx: Tx, { tenantId, environment, origin }: Destination): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'is_destination_used',
      text: `select 1 as used from (select $1::text as tenant_id, $2::text as environment, $3::text as origin) w where ${usedBy('w')}`,
    },
    [tenantId, environment, origin],
  )
  return rows.length > 0
}

/** Finds destinations to delete: an attempt inserted them while its verification was being erased. */
export async function findUnusedDestinationsAcrossTenants(tx: Tx): Promise<Destination[]> {
  return tx.query({
    name: 'find_unused_destinations',
    text: `select w.tenant_id as "tenantId", w.environment, w.origin from webhook_destinations w
           where not ${usedBy('w')} and ${isOfServedTenant('w')}
           union
           select a.tenant_id, a.environment, a.details ->> 'origin' from tenants t
           cross join unnest(array['test', 'live']) as e (environment)
           join audit_details a on a.tenant_id = t.id and a.environment = e.environment and a.day = 0 and a.object_id = e.environment
           where a.details ->> 'origin' is not null and ${isOfServedTenant('a')} and not exists (select from webhook_deliveries d
             where d.tenant_id = a.tenant_id and d.environment = a.environment
               and d.failed_at_origin = a.details ->> 'origin')`,
  })
}

/** Resets the failures and releases held deliveries. Returns false if the destination was not disabled. */
export async function enableDestination(tx: Tx, destination: Destination, now: Instant): Promise<boolean> {
  const enabled = await tx.query(
    {
      name: 'enable_destination',
      text: `delete from webhook_destinations
             where tenant_id = $1 and environment = $2 and origin = $3 and disabled_at is not null returning 1 as enabled`,
    },
    [destination.tenantId, destination.environment, destination.origin],
  )
  if (enabled.length === 0) return false
  await tx.query(
    {
      name: 'release_held_deliveries',
      text: `update webhook_deliveries set state = 'pending', held_for = null, next_at = $4
             where tenant_id = $1 and environment = $2 and state = 'held' and held_for = $3`,
    },
    [destination.tenantId, destination.environment, destination.origin, now],
  )
  return true
}

function columnsOf(destinations: readonly Destination[]): [string[], string[], string[]] {
  return [
    destinations.map(({ tenantId }) => tenantId),
    destinations.map(({ environment }) => environment),
    destinations.map(({ origin }) => origin),
  ]
}
