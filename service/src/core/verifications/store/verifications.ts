// Reads verifications, one by one or newest first.

import { type Batcher, type BatchJob, inOrder } from '../../../platform/event-loop/batch.ts'
import { inTurn } from '../../../platform/event-loop/in-turn.ts'
import { DAY_MS, type Days, dayOf, inDays, isDay, rangeOf, SINGLY, toDays } from '../../../platform/postgres/days.ts'
import type { Statement, Tx } from '../../../platform/postgres/db.ts'
import { findById } from '../../../platform/postgres/routed.ts'
import { unnestIds } from '../../../platform/postgres/statement.ts'
import { type Instant, instantOf, millisecondsOf } from '../../../platform/world.ts'
import type { Closed } from '../../tenants/domain/closed.ts'
import { type Realm, realmName } from '../../tenants/domain/realm.ts'
import { closedColumn } from '../../tenants/store/closed.ts'
import { searchDigests } from '../domain/sensitive-fields.ts'
import type { StoredState, VerificationStatus } from '../domain/verification.ts'
import { columnsWith, type StoredVerification, VERIFICATION_COLUMNS } from './columns.ts'

/** Only verifications of this device; null: all of the realm. */
export interface Visibility {
  readonly deviceId: string | null
}

/** null if this realm has no such verification, or if another device created it. */
export async function loadVerification(tx: Tx, realm: Realm, wanted: Wanted): Promise<StoredVerification | null> {
  const [found] = await loadVerifications(tx, realm, { ids: [wanted.id], deviceId: wanted.deviceId })
  return found ?? null
}

interface Wanted extends Visibility {
  readonly id: string
}

interface Readers {
  readonly db: Tx
  readonly batcher: Batcher
}

interface WithoutLongResult extends StoredVerification {
  readonly resultBytes: number | null
}

const OWN: BatchJob<Readers, Wanted & { readonly realm: Realm }, WithoutLongResult | null> = {
  itemsMax: 64,
  async run({ db }, items) {
    // A lane has one realm and one visibility, so the first item gives both.
    const [first] = items
    if (first === undefined) return []
    const ids = items.map(({ id }) => id)
    return inOrder(ids, await loadBy<WithoutLongResult>(db, LOAD_SHORT, first.realm, { ids, deviceId: first.deviceId }))
  },
}

/** Longer results are not loaded with others. */
const SHARED_BYTES_MAX = 256 * 1024

/**
 * Like `loadVerification`. Concurrent reads share one statement that starts after all of them, so none is stale. A long
 * result is loaded alone, after `pay` got its size.
 */
export async function readStored(
  deps: Readers,
  realm: Realm,
  wanted: Wanted,
  pay: (bytes: number) => Promise<void> = async () => undefined,
): Promise<StoredVerification | null> {
  const lane = `${realmName(realm)} ${wanted.deviceId ?? ''}`
  const found = await deps.batcher.add(OWN, deps, { lane, item: { realm, ...wanted } })
  const bytes = found?.resultBytes ?? 0
  if (bytes <= SHARED_BYTES_MAX) return found
  await pay(bytes)
  const long = await loadVerification(deps.db, realm, wanted)
  await inTurn(realm.tenantId)
  return long
}

/** Those of these ids that exist in this realm, in any order. */
export async function loadVerifications(
  tx: Tx,
  realm: Realm,
  wanted: Visibility & { readonly ids: readonly string[] },
): Promise<StoredVerification[]> {
  return loadBy(tx, LOAD, realm, wanted)
}

/** Like `loadVerifications`, each with the version that was read. */
export async function loadVersions(
  tx: Tx,
  realm: Realm,
  wanted: Visibility & { readonly ids: readonly string[] },
): Promise<(StoredVerification & ListedVersion)[]> {
  return loadBy(tx, LOAD_VERSIONS, realm, wanted)
}

/** Looks first in the partitions that the ids name, then for the remaining ids in the partition SINGLY. */
async function loadBy<Row extends StoredVerification>(
  tx: Tx,
  statement: Statement,
  { tenantId, environment }: Realm,
  wanted: Visibility & { readonly ids: readonly string[] },
): Promise<Row[]> {
  const ids = [...new Set(wanted.ids)]
  function load(some: readonly string[], days: readonly number[]) {
    const { from, to, also } = rangeOf(days)
    return tx.query<Row>(toDays(statement, days), [tenantId, environment, some, wanted.deviceId, from, to, also])
  }
  const days = ids.map((id) => dayOf(tx.sealer, id))
  const found = await load(ids, days)
  if (days.includes(SINGLY) || found.length === ids.length) return found
  const known = new Set(found.map(({ id }) => id))
  const others = ids.filter((id) => !known.has(id))
  return [...found, ...(await load(others, [SINGLY]))]
}

/** The rule of `statusAt` in SQL, at the instant of this parameter. */
export const statusAtParameter = (now: `$${number}`) => `case when status = 'cancelled' then 'expired'
  when status = 'pending' and expires_at <= ${now} then 'expired' else status end`

/** The maximum of rows per page. */
const PAGE_ROWS_MAX = 100

/** A verification in a list. Its version stays the same until the verification or its result is written. */
export interface ListedVersion {
  readonly id: string
  readonly version: string
}

/**
 * Newest first, strictly earlier than `before`. Two statements, because each reads its own index backwards. Results are
 * looked up only for the rows of the page, even if the planner misestimates.
 */
export async function listVersions(
  tx: Tx,
  realm: Realm,
  page: Visibility & Since & { readonly limit: number },
): Promise<ListedVersion[]> {
  if (page.limit > PAGE_ROWS_MAX) throw new Error('bug: more rows than a page may have')
  for (const { after, days } of spansOf(page)) {
    const bounds = [realm.tenantId, realm.environment, page.before, page.limit, after, days.from, days.to]
    const [found] =
      page.deviceId === null
        ? await tx.query<{ listed: string | null }>(ALL_OF_REALM, bounds)
        : await tx.query<{ listed: string | null }>(ALL_OF_DEVICE, [...bounds, page.deviceId])
    const listed = versionsOf(found?.listed ?? null)
    if (listed.length === page.limit || after === START_OF_TIME) return listed
  }
  throw new Error('bug: no span reaches the oldest row')
}

interface Since {
  readonly before: Instant
  readonly now: Instant
}

interface Span {
  /** Created at this time or later. */
  readonly after: Instant
  readonly days: Pick<Days, 'from' | 'to'>
}

const START_OF_TIME = '-infinity'

/**
 * Looks in the newest two days first, so that few partitions are read. A row may be created the day after the one that
 * its id names, so the partition before is read too.
 */
function spansOf({ before, now }: Since): readonly Span[] {
  // No verification is older than 1970.
  const newest = Math.floor(Math.max(DAY_MS, Math.min(millisecondsOf(before), millisecondsOf(now))) / DAY_MS)
  return [
    { after: instantOf((newest - 1) * DAY_MS), days: { from: newest - 2, to: newest + 1 } },
    { after: START_OF_TIME, days: { from: SINGLY, to: newest + 1 } },
  ]
}

/** How many rows one filtered page scans. No index has the status, so that an answer can update its row in place. */
export const FILTER_WINDOW = 2_000

export interface FilteredPage {
  readonly listed: ListedVersion[]
  /** Where the scan ended; null: there are no older rows. */
  readonly scannedTo: Instant | null
}

/** In each member, undefined means any. */
export interface ListFilter {
  readonly status?: VerificationStatus | undefined
  /** The key of a template. */
  readonly template?: string | undefined
  /** A value of the metadata, or a number in the reference. */
  readonly reference?: string | undefined
}

/** Newest first, strictly earlier than `before`: verifications that fit the filter at `now`, within the next window. */
export async function listFilteredVersions(
  tx: Tx,
  realm: Realm,
  page: Visibility & Since & { readonly limit: number; readonly filter: ListFilter; readonly window: number },
): Promise<FilteredPage> {
  if (page.limit > PAGE_ROWS_MAX) throw new Error('bug: more rows than a page may have')
  const { tenantId, environment } = realm
  const { status = null, template = null, reference } = page.filter
  const digests = reference === undefined ? null : searchDigests(tx.sealer, realm, reference)
  for (const { after, days } of spansOf(page)) {
    const filter = [page.limit, status, page.now, page.window]
    const bounds = [tenantId, environment, page.before, ...filter, after, days.from, days.to, template, digests]
    const [found] =
      page.deviceId === null
        ? await tx.query<FilteredRow>(FILTERED_OF_REALM, bounds)
        : await tx.query<FilteredRow>(FILTERED_OF_DEVICE, [...bounds, page.deviceId])
    const listed = versionsOf(found?.listed ?? null)
    if (listed.length === page.limit) return { listed, scannedTo: found?.lastAt ?? null }
    if (found?.scanned === page.window) return { listed, scannedTo: found.scannedTo }
    if (after === START_OF_TIME) return { listed, scannedTo: null }
  }
  throw new Error('bug: no span reaches the oldest row')
}

interface FilteredRow {
  readonly listed: string | null
  readonly lastAt: Instant | null
  readonly scanned: number
  readonly scannedTo: Instant | null
}

/** The size of the stored result and metadata when it was listed. */
export const storedBytesOf = ({ version }: ListedVersion) => Number(version.split(' ', 2)[1])

const versionsOf = (listed: string | null): ListedVersion[] =>
  (listed?.split(',') ?? []).map((version) => ({ id: version.slice(0, version.indexOf(' ')), version }))

// `xmin` is the transaction that last wrote a row. A standby that takes over without the last transactions may reuse
// their numbers. So the version also contains the times that such a transaction would have written.
// The stored size comes first, for `storedBytesOf`. It is known without reading long values.
const VERSION = `concat(v.id, ' ', coalesce(octet_length(r.sealed), 0) + coalesce(v.bytes, 0), ' ', v.xmin, ' ', v.status, ' ', v.responded_at, ' ', r.xmin, ' ', r.forget_at, ' ', r.forgotten_at)`

const OF_WANTED_DAYS = inDays('day', { from: '$5', to: '$6', also: '$7' })

const loadOf = (columns: string) => `
  select ${columns} from ${unnestIds('$3', 'wanted')}
  cross join lateral (select *, xmin, octet_length(particulars) as bytes from verifications where id = wanted.id and ${OF_WANTED_DAYS} offset 0) v
  left join lateral (select *, xmin from verification_results where verification_id = v.id and ${OF_WANTED_DAYS} offset 0) r
    on r.tenant_id = v.tenant_id
  where v.tenant_id = $1 and v.environment = $2
    and ($4::text is null or (v.actor_type = 'device' and v.actor_id = $4))`

const LOAD = { name: 'load_verifications', text: loadOf(VERIFICATION_COLUMNS) }
const SHORT_RESULT = `case when octet_length(r.sealed) <= ${SHARED_BYTES_MAX} then r.sealed end`
const LOAD_SHORT = {
  name: 'load_short_verifications',
  text: loadOf(`${columnsWith(SHORT_RESULT)}, octet_length(r.sealed) as "resultBytes"`),
}
const LOAD_VERSIONS = { name: 'load_versions', text: loadOf(`${VERIFICATION_COLUMNS}, ${VERSION} as version`) }

const OF_SPAN = inDays('day', { from: '$6', to: '$7' })
const OF_FILTERED_SPAN = inDays('day', { from: '$9', to: '$10' })

// The inner limit is a constant that the planner knows. For `limit $4` it would assume a tenth of the table, and plan
// every call. The page is returned as one text, which costs the driver less than twenty rows.
const pageOf = (condition: string) => `
  select string_agg(${VERSION}, ',' order by v.created_at desc) as listed
  from (select * from (
          select id, xmin, created_at, status, responded_at, octet_length(particulars) as bytes from verifications
          where tenant_id = $1 and environment = $2 and created_at < $3 and created_at >= $5 and ${OF_SPAN} and ${condition}
          order by created_at desc limit ${PAGE_ROWS_MAX}) newest
        order by created_at desc limit $4) v
  left join lateral (
    select xmin, tenant_id, forget_at, forgotten_at, sealed from verification_results
    where verification_id = v.id and v.status in ('completed', 'failed') and ${OF_SPAN} offset 0) r on r.tenant_id = $1`

const ALL_OF_REALM = { name: 'list_verifications', text: pageOf('true') }
const ALL_OF_DEVICE = {
  name: 'list_verifications_of_device',
  text: pageOf("actor_type = 'device' and actor_id = $8"),
}

const filteredOf = (condition: string) => `
  with scanned as materialized (select * from (
    select id, xmin, created_at, expires_at, status, responded_at, template, metadata_index, octet_length(particulars) as bytes
    from verifications
    where tenant_id = $1 and environment = $2 and created_at < $3 and created_at >= $8 and ${OF_FILTERED_SPAN} and ${condition}
    order by created_at desc limit ${FILTER_WINDOW}) newest
    order by created_at desc limit $7)
  select string_agg(${VERSION}, ',' order by v.created_at desc) as listed, min(v.created_at) as "lastAt",
    (select count(*)::int from scanned) as scanned, (select min(created_at) from scanned) as "scannedTo"
  from (select * from scanned where ($5::text is null or ${statusAtParameter('$6')} = $5)
          and ($11::text is null or template = $11)
          and ($12::bytea[] is null or exists (select from unnest($12) as d (digest) where position(digest in metadata_index) > 0))
        order by created_at desc limit $4) v
  left join lateral (
    select xmin, tenant_id, forget_at, forgotten_at, sealed from verification_results
    where verification_id = v.id and v.status in ('completed', 'failed') and ${OF_FILTERED_SPAN} offset 0) r on r.tenant_id = $1`

const FILTERED_OF_REALM = { name: 'list_filtered_verifications', text: filteredOf('true') }
const FILTERED_OF_DEVICE = {
  name: 'list_filtered_verifications_of_device',
  text: filteredOf("actor_type = 'device' and actor_id = $13"),
}

interface FoundStatus {
  readonly state: StoredState
  readonly expiresAt: Instant
  readonly closed: Closed
}

const STATUS = `v.status as state, v.expires_at as "expiresAt",
  (select ${closedColumn('t')} from tenants t where t.id = v.tenant_id) as closed`
const LOAD_STATUS = {
  name: 'load_status',
  text: `select ${STATUS} from (select * from verifications where id = $1 and ${isDay('day', '$3')} offset 0) v where v.tenant_id = $2`,
}
const LOAD_STATUS_ACROSS_TENANTS = {
  name: 'load_status_across_tenants',
  text: `select ${STATUS} from verifications v where v.id = $1 and v.day = ${SINGLY}`,
}

/** For the public status route, where the id is the capability. */
export async function loadStatusAcrossTenants(tx: Tx, id: string): Promise<FoundStatus | null> {
  return findById<FoundStatus>(tx.sealer, id, {
    inTenant: ({ tenantId, day }) => tx.query(toDays(LOAD_STATUS, [day]), [id, tenantId, day]),
    acrossTenants: () => tx.query(toDays(LOAD_STATUS_ACROSS_TENANTS, [SINGLY]), [id]),
  })
}
