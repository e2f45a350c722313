// Verifications for staff: filtered, with their creator, without data of the holder.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { searchDigests } from '../../../core/verifications/domain/sensitive-fields.ts'
import type { StoredState, VerificationStatus } from '../../../core/verifications/domain/verification.ts'
import { statusAtParameter } from '../../../core/verifications/store/verifications.ts'
import { daysAround, inDay, inKnownDays, rangeOf } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type Instant, millisecondsOf } from '../../../platform/world.ts'
import { CREATED_BY_SIGN_IN, CREATED_BY_STAFF } from '../../figures/index.ts'

export interface StaffRow {
  readonly id: string
  readonly createdAt: Instant
  readonly expiresAt: Instant
  readonly state: StoredState
  readonly template: string | null
  readonly respondedAt: Instant | null
  readonly errorCode: string | null
  readonly channel: string | null
  readonly purpose: string | null
  readonly actorType: 'api_key' | 'device' | 'user'
  readonly actorId: string
  readonly actorName: string | null
}

export interface Timeline {
  readonly actorType: StaffRow['actorType']
  readonly actorId: string
  readonly actorName: string | null
  readonly requestFetchedAt: Instant | null
  readonly redeemedAt: Instant | null
  readonly firstReadAt: Instant | null
  /** When the content is deleted at the latest, and when it was deleted. */
  readonly forgetAt: Instant | null
  readonly forgottenAt: Instant | null
}

/** In each member, null means any. */
export interface StaffSearch {
  /** Created at this time or later. */
  readonly from: Instant | null
  readonly status: VerificationStatus | null
  /** Empty: created with a query. */
  readonly template: string | null
  /** The failure reason. */
  readonly reason: string | null
  readonly channel: string | null
  /** The id of the key, device or person that created it; or the word for all staff, or for all sign-ins. */
  readonly actor: string | null
  /** A part of the purpose, case-insensitive; or exactly a value of the metadata. */
  readonly text: string | null
}

interface StaffFilter extends StaffSearch {
  readonly before: Instant
  /** The maximum number of returned rows. */
  readonly limit: number
  /** The maximum number of scanned rows, which limits the cost of a filter without matches. */
  readonly window: number
  readonly now: Instant
}

const ACTOR_NAME = `coalesce(
  (select k.name from api_keys k where v.actor_type = 'api_key' and k.id = v.actor_id and k.tenant_id = v.tenant_id),
  (select d.name from devices d where v.actor_type = 'device'
     and d.id = case when v.actor_type = 'device' then v.actor_id::uuid end and d.tenant_id = v.tenant_id),
  (select c.name from oidc_clients c where v.actor_type = 'oidc_client' and c.id = v.actor_id and c.tenant_id = v.tenant_id),
  (select p.email from people p join members m on m.person_id = p.id
     where v.actor_type = 'user' and p.id = v.actor_id and m.tenant_id = v.tenant_id)) as "actorName"`

/** Newest first. `searchedTo` is where the scan ended; null if there is nothing older. */
export async function listForStaff(
  tx: Tx,
  realm: Realm,
  filter: StaffFilter,
): Promise<{ readonly rows: StaffRow[]; readonly searchedTo: Instant | null }> {
  // The possible digests of the text in the index of metadata values.
  const textDigests = filter.text === null ? [] : searchDigests(tx.sealer, realm, filter.text)
  const rows = await tx.query<StaffRow>(
    {
      name: 'list_verifications_for_staff',
      text: `with scanned as materialized (
               select id, tenant_id, day, created_at, expires_at, status, template, responded_at, actor_type, actor_id,
                 metadata_index, purpose
               from verifications where tenant_id = $1 and environment = $2 and created_at < $3
                 and ($10::timestamptz is null or created_at >= $10)
               order by created_at desc limit $4)
             select v.id, v.created_at as "createdAt", v.expires_at as "expiresAt", v.status as state, v.template,
               v.responded_at as "respondedAt", r.error_code as "errorCode", r.channel, v.purpose,
               v.actor_type as "actorType", v.actor_id as "actorId", ${ACTOR_NAME}
             from (select * from scanned where ($5::text is null or ${statusAtParameter('$6')} = $5)
                     and ($7::text is null or coalesce(template, '') = $7)
                     and ($11::text is null or actor_id = $11 or (actor_type = 'user' and $11 = '${CREATED_BY_STAFF}')
                       or (actor_type = 'oidc_client' and $11 = '${CREATED_BY_SIGN_IN}'))
                     and ($12::text is null or position(lower($12) in lower(purpose)) > 0
                       or exists (select from unnest($9::bytea[]) as d (digest) where position(digest in metadata_index) > 0))
                     -- Looks up results one by one, only where one exists and in their day: a join might read them all.
                     and case when $13::text is null and $14::text is null then true
                       when responded_at is null or ($13::text is not null and status <> 'failed') then false
                       else coalesce((select ($13::text is null or f.error_code = $13) and ($14::text is null or f.channel = $14)
                                      from verification_results f
                                      where f.verification_id = scanned.id and f.tenant_id = $1 and ${inDay('f.day', 'scanned.day')}), false) end
                   order by created_at desc limit $8) v
             left join lateral (select error_code, channel from verification_results
                                where verification_id = v.id and tenant_id = $1 and ${inDay('day', 'v.day')} offset 0) r on true
             order by v.created_at desc`,
    },
    [
      realm.tenantId,
      realm.environment,
      filter.before,
      filter.window,
      filter.status,
      filter.now,
      filter.template,
      filter.limit,
      textDigests,
      filter.from,
      filter.actor,
      filter.text,
      filter.reason,
      filter.channel,
    ],
  )
  if (rows.length === filter.limit) return { rows, searchedTo: rows.at(-1)?.createdAt ?? null }
  return { rows, searchedTo: await endOfWindow(tx, realm, filter) }
}

/** When the last row was created that a scan of this size reaches; null if the scan reaches the end. */
async function endOfWindow(tx: Tx, realm: Realm, filter: StaffFilter): Promise<Instant | null> {
  const [row] = await tx.query<{ at: string }>(
    {
      name: 'end_of_staff_window',
      text: `select created_at as at from verifications where tenant_id = $1 and environment = $2 and created_at < $3
               and ($5::timestamptz is null or created_at >= $5)
             order by created_at desc offset $4 limit 1`,
    },
    [realm.tenantId, realm.environment, filter.before, filter.window - 1, filter.from],
  )
  return row?.at ?? null
}

export async function loadTimeline(tx: Tx, realm: Realm, id: string): Promise<Timeline | null> {
  const [row] = await tx.query<Timeline>(
    {
      name: 'load_verification_timeline',
      text: `select v.actor_type as "actorType", v.actor_id as "actorId", ${ACTOR_NAME},
               v.request_fetched_at as "requestFetchedAt", v.redeemed_at as "redeemedAt",
               r.forget_at as "forgetAt", r.forgotten_at as "forgottenAt", r.first_read_at as "firstReadAt"
             from verifications v
             left join verification_results r on r.verification_id = v.id and r.tenant_id = v.tenant_id
             where v.id = $3 and v.tenant_id = $1 and v.environment = $2`,
    },
    [realm.tenantId, realm.environment, id],
  )
  return row ?? null
}

/** Counts verifications that can still be answered, among the newest `window` since an instant. */
export async function countWaiting(
  tx: Tx,
  realm: Realm,
  filter: { readonly since: Instant; readonly now: Instant; readonly window: number },
): Promise<number> {
  const { from, to } = rangeOf(daysAround(millisecondsOf(filter.now)))
  const [row] = await tx.query<{ count: number }>(
    {
      name: 'count_waiting_verifications',
      text: `select count(*) filter (where status = 'pending' and expires_at > $5)::int as count
             from (select status, expires_at from verifications
                   where tenant_id = $1 and environment = $2 and created_at >= $3 and ${inKnownDays('day', { from: '$6', to: '$7' })}
                   order by created_at desc limit $4) newest`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, filter.since, filter.window, filter.now, from, to],
  )
  return row?.count ?? 0
}

const HERE = 'tenant_id = $1 and environment = $2'
/** Searches only the newest rows, because a tenant that has done a step once does it again. */
const NEWEST_HERE = `${HERE} order by created_at desc limit 1000`

/** Which of the first steps this realm has completed. */
export async function loadFirstSteps(
  tx: Tx,
  realm: Realm,
): Promise<{ key: boolean; verification: boolean; completed: boolean; webhook: boolean; device: boolean }> {
  const [row] = await tx.query<Awaited<ReturnType<typeof loadFirstSteps>>>(
    {
      name: 'load_first_steps',
      text: `select exists (select from api_keys where ${HERE} and revoked_at is null) as key,
               exists (select from verifications where ${HERE}) as verification,
               exists (select from (select status from verifications where ${NEWEST_HERE}) newest where status = 'completed') as completed,
               exists (select from (select state from webhook_deliveries where ${NEWEST_HERE}) newest where state = 'delivered')
                 or exists (select from webhook_test_events where ${HERE} and outcome = 'delivered') as webhook,
               exists (select from devices where ${HERE} and status = 'active') as device`,
    },
    [realm.tenantId, realm.environment],
  )
  return row ?? { key: false, verification: false, completed: false, webhook: false, device: false }
}
