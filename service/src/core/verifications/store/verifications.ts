// Verifications: read one by one or newest first. creation.ts writes them; the changes of the wallet routes are
// elsewhere.

import { type Batcher, type BatchJob, inOrder } from '../../../platform/batch.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { findById } from '../../../platform/postgres/routed.ts'
import { unnestIds } from '../../../platform/postgres/statement.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Closed } from '../../tenants/domain/closed.ts'
import { type Realm, realmName } from '../../tenants/domain/realm.ts'
import { closedColumn } from '../../tenants/store/closed.ts'
import type { StoredState, VerificationStatus } from '../domain/verification.ts'
import { type StoredVerification, VERIFICATION_COLUMNS } from './columns.ts'

/** Only what that device created; null for all of the realm. */
export interface Visibility {
  readonly deviceId: string | null
}

/** null if there is none in this realm, or if it belongs to another device than the given one. */
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

const OWN: BatchJob<Readers, Wanted & { readonly realm: Realm }, StoredVerification | null> = {
  itemsMax: 64,
  async run({ db }, items) {
    // A lane has one realm and one visibility.
    const [first] = items
    if (first === undefined) return []
    const ids = items.map(({ id }) => id)
    return inOrder(ids, await loadVerifications(db, first.realm, { ids, deviceId: first.deviceId }))
  },
}

/** The same, but concurrent reads share a statement. It starts after they asked, so none gets stale data. */
export function readStored(deps: Readers, realm: Realm, wanted: Wanted): Promise<StoredVerification | null> {
  const lane = `${realmName(realm)} ${wanted.deviceId ?? ''}`
  return deps.batcher.add(OWN, deps, { lane, item: { realm, ...wanted } })
}

/** The existing ones of these ids in this realm, in any order. */
export async function loadVerifications(
  tx: Tx,
  realm: Realm,
  wanted: Visibility & { readonly ids: readonly string[] },
): Promise<StoredVerification[]> {
  return tx.query(LOAD, wantedValues(realm, wanted))
}

/** The same, each with the version that was read. */
export async function loadVersions(
  tx: Tx,
  realm: Realm,
  wanted: Visibility & { readonly ids: readonly string[] },
): Promise<(StoredVerification & ListedVersion)[]> {
  return tx.query(LOAD_VERSIONS, wantedValues(realm, wanted))
}

function wantedValues(realm: Realm, { ids, deviceId }: Visibility & { readonly ids: readonly string[] }) {
  return [realm.tenantId, realm.environment, [...new Set(ids)], deviceId]
}

/** The same rule as statusAt, at the instant of that parameter. */
export const statusAtParameter = (now: `$${number}`) => `case when status = 'cancelled' then 'expired'
  when status = 'pending' and expires_at <= ${now} then 'expired' else status end`

/** The maximum of one page. */
const PAGE_ROWS_MAX = 100

/** A verification in a list, and its version: the same as long as neither it nor its result was written. */
export interface ListedVersion {
  readonly id: string
  readonly version: string
}

/**
 * Newest first, strictly earlier than `before`. Two texts, because each uses its own index, read backwards; results are
 * looked up only for the rows of the page, whatever the planner estimates.
 */
export async function listVersions(
  tx: Tx,
  realm: Realm,
  page: Visibility & { readonly before: Instant; readonly limit: number },
): Promise<ListedVersion[]> {
  if (page.limit > PAGE_ROWS_MAX) throw new Error('bug: a page with more rows than one may have')
  const bounds = [realm.tenantId, realm.environment, page.before, page.limit]
  const [found] =
    page.deviceId === null
      ? await tx.query<{ listed: string | null }>(ALL_OF_REALM, bounds)
      : await tx.query<{ listed: string | null }>(ALL_OF_DEVICE, [...bounds, page.deviceId])
  return versionsOf(found?.listed ?? null)
}

/** How many rows one filtered page scans: no index has the status, so that an answer updates its row in place. */
export const FILTER_WINDOW = 2_000

export interface FilteredPage {
  readonly listed: ListedVersion[]
  /** Where the scan ended; null: there is nothing older. */
  readonly scannedTo: Instant | null
}

/** Newest first, strictly earlier than `before`: those in that state at `now`, among the next rows of the window. */
export async function listVersionsInState(
  tx: Tx,
  realm: Realm,
  page: Visibility & {
    readonly before: Instant
    readonly limit: number
    readonly status: VerificationStatus
    readonly now: Instant
    readonly window: number
  },
): Promise<FilteredPage> {
  if (page.limit > PAGE_ROWS_MAX) throw new Error('bug: a page with more rows than one may have')
  const { tenantId, environment } = realm
  const bounds = [tenantId, environment, page.before, page.limit, page.status, page.now, page.window]
  const [found] =
    page.deviceId === null
      ? await tx.query<FilteredRow>(IN_STATE_OF_REALM, bounds)
      : await tx.query<FilteredRow>(IN_STATE_OF_DEVICE, [...bounds, page.deviceId])
  const listed = versionsOf(found?.listed ?? null)
  if (listed.length === page.limit) return { listed, scannedTo: found?.lastAt ?? null }
  return { listed, scannedTo: found?.scanned === page.window ? found.scannedTo : null }
}

interface FilteredRow {
  readonly listed: string | null
  readonly lastAt: Instant | null
  readonly scanned: number
  readonly scannedTo: Instant | null
}

const versionsOf = (listed: string | null): ListedVersion[] =>
  (listed?.split(',') ?? []).map((version) => ({ id: version.slice(0, version.indexOf(' ')), version }))

// `xmin` is the transaction that last wrote a row. A standby that takes over without the last transactions may reuse
// their numbers, so the version also contains the times of the columns that those can have written.
const VERSION = `concat(v.id, ' ', v.xmin, ' ', v.status, ' ', v.responded_at, ' ', r.xmin, ' ', r.forget_at, ' ', r.forgotten_at)`

const loadOf = (columns: string) => `
  select ${columns} from ${unnestIds('$3', 'wanted')}
  cross join lateral (select *, xmin from verifications where id = wanted.id offset 0) v
  left join lateral (select *, xmin from verification_results where verification_id = v.id offset 0) r
    on r.tenant_id = v.tenant_id
  where v.tenant_id = $1 and v.environment = $2
    and ($4::text is null or (v.actor_type = 'device' and v.actor_id = $4))`

const LOAD = { name: 'load_verifications', text: loadOf(VERIFICATION_COLUMNS) }
const LOAD_VERSIONS = { name: 'load_versions', text: loadOf(`${VERIFICATION_COLUMNS}, ${VERSION} as version`) }

// The inner limit is a constant that the planner knows: for `limit $4` alone it would assume a tenth of the table, and
// plan every call instead of caching the plan. The page is one text, which costs the driver less than twenty rows.
const pageOf = (condition: string) => `
  select string_agg(${VERSION}, ',' order by v.created_at desc) as listed
  from (select * from (
          select id, xmin, created_at, status, responded_at from verifications
          where tenant_id = $1 and environment = $2 and created_at < $3 and ${condition}
          order by created_at desc limit ${PAGE_ROWS_MAX}) newest
        order by created_at desc limit $4) v
  left join lateral (
    select xmin, tenant_id, forget_at, forgotten_at from verification_results
    where verification_id = v.id and v.status in ('completed', 'failed') offset 0) r on r.tenant_id = $1`

const ALL_OF_REALM = { name: 'list_verifications', text: pageOf('true') }
const ALL_OF_DEVICE = {
  name: 'list_verifications_of_device',
  text: pageOf("actor_type = 'device' and actor_id = $5"),
}

const inStateOf = (condition: string) => `
  with scanned as materialized (select * from (
    select id, xmin, created_at, expires_at, status, responded_at from verifications
    where tenant_id = $1 and environment = $2 and created_at < $3 and ${condition}
    order by created_at desc limit ${FILTER_WINDOW}) newest
    order by created_at desc limit $7)
  select string_agg(${VERSION}, ',' order by v.created_at desc) as listed, min(v.created_at) as "lastAt",
    (select count(*)::int from scanned) as scanned, (select min(created_at) from scanned) as "scannedTo"
  from (select * from scanned where ${statusAtParameter('$6')} = $5 order by created_at desc limit $4) v
  left join lateral (
    select xmin, tenant_id, forget_at, forgotten_at from verification_results
    where verification_id = v.id and v.status in ('completed', 'failed') offset 0) r on r.tenant_id = $1`

const IN_STATE_OF_REALM = { name: 'list_verifications_in_state', text: inStateOf('true') }
const IN_STATE_OF_DEVICE = {
  name: 'list_verifications_in_state_of_device',
  text: inStateOf("actor_type = 'device' and actor_id = $8"),
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
  text: `select ${STATUS} from (select * from verifications where id = $1 offset 0) v where v.tenant_id = $2`,
}
const LOAD_STATUS_ACROSS_TENANTS = {
  name: 'load_status_across_tenants',
  text: `select ${STATUS} from verifications v where v.id = $1`,
}

/** For the public status route, where the id alone is the capability. */
export async function loadStatusAcrossTenants(tx: Tx, id: string): Promise<FoundStatus | null> {
  return findById<FoundStatus>(tx.sealer, id, {
    inTenant: ({ tenantId }) => tx.query(LOAD_STATUS, [id, tenantId]),
    acrossTenants: () => tx.query(LOAD_STATUS_ACROSS_TENANTS, [id]),
  })
}
