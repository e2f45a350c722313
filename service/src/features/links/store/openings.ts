// Stores openings of links. Locks verifications, then openings, then links in the order of their ids.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import {
  daysAround,
  daysOf,
  inDays,
  inKnownDays,
  type Lapsed,
  lapsedOf,
  lapsedValues,
  rangeOf,
} from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type Instant, millisecondsOf } from '../../../platform/world.ts'

interface Opening {
  readonly linkId: string
  readonly verificationId: string
}

/**
 * Takes a use before the verification is created. Returns false if the link cannot be opened. Of two callers, one gets
 * the last use.
 */
export async function takeUse(tx: Tx, realm: Realm, { now, ...opening }: Opening & { readonly now: Instant }) {
  const rows = await tx.query(
    {
      name: 'take_link_use',
      text: `with taken as (
               update links set opened = opened + 1, last_opened_at = $5
               where id = $3 and tenant_id = $1 and environment = $2 and revoked_at is null
                 and starts_at <= $5 and ends_at > $5 and (uses is null or opened < uses)
               returning id)
             insert into link_openings (tenant_id, environment, link_id, verification_id, opened_at)
             select $1, $2, id, $4, $5 from taken returning verification_id`,
    },
    [realm.tenantId, realm.environment, opening.linkId, opening.verificationId, now],
  )
  return rows.length === 1
}

/** The newest pending verification of a link that belongs to one of these browsers; null if there is none. */
export async function findPendingOpening(
  tx: Tx,
  realm: Realm,
  input: { readonly linkId: string; readonly browserHashes: readonly Buffer[]; readonly now: Instant },
): Promise<string | null> {
  if (input.browserHashes.length === 0) return null
  const { from, to } = rangeOf(daysAround(millisecondsOf(input.now)))
  const [row] = await tx.query<{ id: string }>(
    {
      name: 'find_pending_link_opening',
      text: `select v.id from link_openings o
             join verifications v on v.id = o.verification_id and v.tenant_id = o.tenant_id and ${inDays('v.day', { from: '$6', to: '$7' })}
             where o.link_id = $3 and o.tenant_id = $1 and o.environment = $2 and v.status = 'pending'
               and v.expires_at > $5 and v.browser_hash = any ($4::bytea[])
             order by o.opened_at desc limit 1`,
    },
    [realm.tenantId, realm.environment, input.linkId, input.browserHashes, input.now, from, to],
  )
  return row?.id ?? null
}

/** Gives back a use whose verification was not created. */
export async function giveUseBack(tx: Tx, realm: Realm, verificationId: string): Promise<void> {
  await tx.query(
    {
      name: 'give_link_use_back',
      text: `with gone as (
               delete from link_openings where verification_id = $3 and tenant_id = $1 and environment = $2
               returning link_id)
             update links l set opened = opened - 1 from gone where l.id = gone.link_id and l.tenant_id = $1`,
    },
    [realm.tenantId, realm.environment, verificationId],
  )
}

/** Called before verifications are erased: counts the completed ones, and deletes their openings. */
export async function countErasedOpenings(tx: Tx, realm: Realm, verificationIds: readonly string[]): Promise<void> {
  const { from, to } = rangeOf(daysOf(tx.sealer, verificationIds))
  await tx.query(
    {
      name: 'count_erased_link_openings',
      text: `with gone as (
               delete from link_openings o using verifications v
               where o.verification_id = any ($3::text[]) and o.tenant_id = $1 and o.environment = $2
                 and v.id = o.verification_id and v.tenant_id = o.tenant_id and ${inKnownDays('v.day', { from: '$4', to: '$5' })}
               returning o.link_id, o.tenant_id, v.status
             ), ${COUNTED} ${ADD_COMPLETED}`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, verificationIds, from, to],
  )
}

/** Does the same for the verifications of a lapsed day, of all tenants. */
export async function countLapsedOpenings(tx: Tx, lapsed: Lapsed): Promise<void> {
  await tx.query(
    {
      name: 'count_lapsed_link_openings',
      text: `with gone as (
               delete from link_openings o using (${lapsedOf('link_openings')}) v
               where o.tenant_id = v.tenant_id and o.verification_id = v.id
               returning o.link_id, o.tenant_id, v.status
             ), ${COUNTED} ${ADD_COMPLETED}`,
      replanEachCall: true,
    },
    lapsedValues(lapsed),
  )
}

/** Counts the rows in `gone` by link. Locks the links in the order of their ids. */
const COUNTED = `counted as (
    select link_id, tenant_id, count(*) filter (where status = 'completed')::int as completed from gone
    group by link_id, tenant_id
  ), locked as (
    select tenant_id, id from links where (tenant_id, id) in (select tenant_id, link_id from counted where completed > 0)
    order by id for update)`
const ADD_COMPLETED = `update links l set completed = l.completed + counted.completed
  from locked join counted on counted.tenant_id = locked.tenant_id and counted.link_id = locked.id
  where l.tenant_id = locked.tenant_id and l.id = locked.id`

/** Counts openings whose verification has ended, and deletes them. Returns how many, at most `rowsMax`. */
export async function countEndedOpeningsAcrossTenants(
  tx: Tx,
  input: { readonly expiredBefore: Instant; readonly rowsMax: number },
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    {
      name: 'count_ended_link_openings',
      text: `with ended as (
               select o.tenant_id, o.verification_id, v.status from link_openings o
               join verifications v on v.id = o.verification_id and v.tenant_id = o.tenant_id
               where v.status <> 'pending' or v.expires_at <= $1
               order by o.verification_id limit $2 for update of o skip locked
             ), gone as (
               delete from link_openings o using ended
               where o.tenant_id = ended.tenant_id and o.verification_id = ended.verification_id
               returning o.link_id, o.tenant_id, ended.status
             ), ${COUNTED}, written as (${ADD_COMPLETED} returning l.id)
             select count(*)::int as count from gone`,
    },
    [input.expiredBefore, input.rowsMax],
  )
  return row?.count ?? 0
}

/** Gives back uses whose verification was never created because the process ended. Returns how many. */
export async function giveLostUsesBackAcrossTenants(
  tx: Tx,
  input: { readonly openedBefore: Instant; readonly rowsMax: number },
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    {
      name: 'give_lost_link_uses_back',
      text: `with lost as (
               select o.tenant_id, o.verification_id from link_openings o
               where o.opened_at <= $1 and not exists (
                 select from verifications v where v.id = o.verification_id and v.tenant_id = o.tenant_id)
               order by o.verification_id limit $2 for update of o skip locked
             ), gone as (
               delete from link_openings o using lost
               where o.tenant_id = lost.tenant_id and o.verification_id = lost.verification_id returning o.tenant_id, o.link_id
             ), counted as (select tenant_id, link_id, count(*)::int as uses from gone group by tenant_id, link_id
             ), locked as (
               select tenant_id, id from links where (tenant_id, id) in (select tenant_id, link_id from counted)
               order by id for update
             ), written as (
               update links l set opened = l.opened - counted.uses
               from locked join counted on counted.tenant_id = locked.tenant_id and counted.link_id = locked.id
               where l.tenant_id = locked.tenant_id and l.id = locked.id returning l.id)
             select count(*)::int as count from gone`,
    },
    [input.openedBefore, input.rowsMax],
  )
  return row?.count ?? 0
}
