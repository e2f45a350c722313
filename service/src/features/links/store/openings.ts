// Stores openings of links. Locks verifications, then openings, then links in the order of their ids.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import {
  dayAt,
  daysAround,
  daysOf,
  inKnownDays,
  type Lapsed,
  lapsedOf,
  lapsedValues,
  rangeOf,
  SINGLY,
} from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type Instant, millisecondsOf } from '../../../platform/world.ts'

interface OfBrowser {
  readonly linkId: string
  readonly browserHashes: readonly Buffer[]
  readonly now: Instant
}

/** How many openings of one browser are looked up. */
const OPENINGS_OF_BROWSER_MAX = 100
/** How long an opening whose verification is not written yet counts as pending: longer than a creation takes. */
const UNWRITTEN_SECONDS = 60

/**
 * SQL for openings of a link that belong to one of these browsers and are pending. Anyone may ask, so other openings of
 * the link are not read. Two parts, so that each uses the index: a process of the release before writes no hash.
 */
const PENDING = `select o.id, o.opened_at, v.id is not null as "isWritten" from (
    select verification_id as id, opened_at, browser_hash from link_openings
    where link_id = $3 and tenant_id = $1 and environment = $2 and browser_hash = any ($4::bytea[])
    union all select verification_id, opened_at, browser_hash from link_openings
    where link_id = $3 and tenant_id = $1 and environment = $2 and browser_hash is null
    order by opened_at desc limit ${OPENINGS_OF_BROWSER_MAX}) o
  left join lateral (select id, status, expires_at, browser_hash from verifications where id = o.id and tenant_id = $1
    and environment = $2 and ${inKnownDays('day', { from: '$6', to: '$7' })} offset 0) v on true
  where case when v.id is null then o.browser_hash is not null and o.opened_at > $5::timestamptz - interval '${UNWRITTEN_SECONDS} s'
    else v.status = 'pending' and v.expires_at > $5 and v.browser_hash = any ($4) end`

function valuesOf(realm: Realm, { linkId, browserHashes, now }: OfBrowser) {
  const { from, to } = rangeOf(daysAround(millisecondsOf(now)))
  return [realm.tenantId, realm.environment, linkId, browserHashes, now, from, to]
}

/**
 * Takes a use before the verification is created. Returns false if the link cannot be opened, or if this browser has a
 * pending opening. Of two callers, one gets the last use. Needs a transaction: the second statement sees the openings of
 * the callers that had the lock before.
 */
export async function takeUse(
  tx: Tx,
  realm: Realm,
  opening: Omit<OfBrowser, 'browserHashes'> & { readonly verificationId: string; readonly browserHash: Buffer },
): Promise<boolean> {
  await tx.query(
    {
      name: 'lock_link',
      text: 'select from links where id = $3 and tenant_id = $1 and environment = $2 for no key update',
    },
    [realm.tenantId, realm.environment, opening.linkId],
  )
  const rows = await tx.query(
    {
      name: 'take_link_use',
      text: `with taken as (
               update links set opened = opened + 1, last_opened_at = $5
               where id = $3 and tenant_id = $1 and environment = $2 and revoked_at is null
                 and starts_at <= $5 and ends_at > $5 and (uses is null or opened < uses) and not exists (${PENDING})
               returning id)
             insert into link_openings (tenant_id, environment, link_id, verification_id, opened_at, browser_hash)
             select $1, $2, id, $8, $5, ($4::bytea[])[1] from taken returning verification_id`,
      replanEachCall: true,
    },
    [...valuesOf(realm, { ...opening, browserHashes: [opening.browserHash] }), opening.verificationId],
  )
  return rows.length === 1
}

/** The newest pending verification of a link that belongs to one of these browsers, and whether it is written already. */
export async function findPendingOpening(
  tx: Tx,
  realm: Realm,
  browser: OfBrowser,
): Promise<{ readonly id: string; readonly isWritten: boolean } | null> {
  if (browser.browserHashes.length === 0) return null
  const [row] = await tx.query<{ id: string; isWritten: boolean }>(
    {
      name: 'find_pending_link_opening',
      text: `select id, "isWritten" from (${PENDING}) p order by "isWritten" desc, opened_at desc limit 1`,
      replanEachCall: true,
    },
    valuesOf(realm, browser),
  )
  return row ?? null
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

/** The days of the verifications of all openings. A verification's id is made moments before its opening. */
export async function daysOfOpeningsAcrossTenants(tx: Tx, now: Instant): Promise<number[]> {
  const [row] = await tx.query<{ oldest: Instant | null }>({
    name: 'find_oldest_link_opening',
    text: 'select min(opened_at) as oldest from link_openings',
  })
  return [dayAt(millisecondsOf(row?.oldest ?? now)) - 1, dayAt(millisecondsOf(now)) + 1, SINGLY]
}

/** A position in the order in which the job reads openings. */
export interface OpeningPosition {
  readonly tenantId: string
  readonly verificationId: string
}

/**
 * Of the next openings, counts and deletes the ones whose verification has ended. Returns the last one that was read;
 * null if there are no more.
 */
export async function countEndedOpeningsAcrossTenants(
  tx: Tx,
  input: {
    readonly after: OpeningPosition
    readonly expiredBefore: Instant
    readonly days: readonly number[]
    readonly rowsMax: number
  },
): Promise<OpeningPosition | null> {
  const { after, expiredBefore, days, rowsMax } = input
  const { from, to } = rangeOf(days)
  const [row] = await tx.query<OpeningPosition>(
    {
      name: 'count_ended_link_openings',
      text: `with next as materialized (
               select tenant_id, verification_id from link_openings where (tenant_id, verification_id) > ($2, $3)
               order by tenant_id, verification_id limit $4
             ), ended as (
               select o.tenant_id, o.verification_id, v.status from next
               cross join lateral (
                 select status, expires_at from verifications v where v.id = next.verification_id
                   and v.tenant_id = next.tenant_id and ${inKnownDays('v.day', { from: '$5', to: '$6' })} offset 0) v
               join link_openings o on o.tenant_id = next.tenant_id and o.verification_id = next.verification_id
               where v.status <> 'pending' or v.expires_at <= $1
               order by o.verification_id for update of o skip locked
             ), gone as (
               delete from link_openings o using ended
               where o.tenant_id = ended.tenant_id and o.verification_id = ended.verification_id
               returning o.link_id, o.tenant_id, ended.status
             ), ${COUNTED}, written as (${ADD_COMPLETED} returning l.id)
             select tenant_id as "tenantId", verification_id as "verificationId" from next
             order by tenant_id, verification_id offset $4 - 1`,
      replanEachCall: true,
    },
    [expiredBefore, after.tenantId, after.verificationId, rowsMax, from, to],
  )
  return row ?? null
}

/** Gives back uses whose verification was never created because the process ended. Returns how many. */
export async function giveLostUsesBackAcrossTenants(
  tx: Tx,
  input: { readonly openedBefore: Instant; readonly days: readonly number[]; readonly rowsMax: number },
): Promise<number> {
  const { from, to } = rangeOf(input.days)
  const [row] = await tx.query<{ count: number }>(
    {
      name: 'give_lost_link_uses_back',
      text: `with lost as (
               select o.tenant_id, o.verification_id from link_openings o
               where o.opened_at <= $1 and not exists (
                 select from verifications v where v.id = o.verification_id and v.tenant_id = o.tenant_id
                   and ${inKnownDays('v.day', { from: '$3', to: '$4' })})
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
      replanEachCall: true,
    },
    [input.openedBefore, input.rowsMax, from, to],
  )
  return row?.count ?? 0
}
