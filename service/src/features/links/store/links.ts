// Stores links. A row has the hash of the secret in the address, and the sealed request.

import type { Closed } from '../../../core/tenants/domain/closed.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { closedColumn } from '../../../core/tenants/store/closed.ts'
import { daysAround, inKnownDays, rangeOf } from '../../../platform/postgres/days.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import { type Environment, type Instant, millisecondsOf } from '../../../platform/world.ts'
import {
  KEPT_DAYS,
  type Link,
  type LinkCreator,
  type LinkRequest,
  type ListedLink,
  linkSealContext,
} from '../domain/link.ts'

interface ListedRow extends Omit<Link, 'request' | 'creator' | 'creatorIsValid'> {
  key_id: string | null
  person_id: string | null
  key_is_valid: boolean
}

interface LinkRow extends ListedRow {
  request: Buffer
}

const COLUMNS = `l.id, l.tenant_id as "tenantId", l.environment, l.key_id, l.person_id, l.created_at as "createdAt",
  l.starts_at as "startsAt", l.ends_at as "endsAt", l.uses,
  exists (select from api_keys k where k.id = l.key_id and k.tenant_id = l.tenant_id
          and k.environment = l.environment and k.revoked_at is null) as key_is_valid,
  l.opened, l.revoked_at as "revokedAt", l.completed`

/**
 * How many openings one read of the merchant looks up. `countEndedOpeningsAcrossTenants` counts the others within
 * minutes.
 */
const OPENINGS_READ_MAX = 1_000

/** Adds completed openings that are not counted yet, of the last two days: a verification lives for an hour. */
const columnsWithUncounted = (p: {
  readonly max: string
  readonly from: string
  readonly to: string
}) => `${COLUMNS} + (
  select count(*)::int from (
    select verification_id as id from link_openings where tenant_id = l.tenant_id and link_id = l.id
    order by opened_at limit ${p.max}) o
  cross join lateral (
    select v.status from verifications v where v.id = o.id and v.tenant_id = l.tenant_id and ${inKnownDays('v.day', p)} offset 0) v
  where v.status = 'completed') as completed`

export async function insertLink(tx: Tx, link: Link, secretHash: Uint8Array): Promise<void> {
  const { id, tenantId, environment, creator, createdAt, startsAt, endsAt, uses } = link
  const [keyId, personId] = creator.kind === 'api_key' ? [creator.keyId, null] : [null, creator.personId]
  const request = tx.sealer.seal(Buffer.from(JSON.stringify(link.request), 'utf8'), linkSealContext(link))
  await tx.query(
    {
      name: 'insert_link',
      text: `insert into links (id, tenant_id, environment, key_id, person_id, secret_hash, request, created_at, starts_at, ends_at, uses)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    },
    [id, tenantId, environment, keyId, personId, secretHash, request, createdAt, startsAt, endsAt, uses],
  )
}

/** Counts the links of a realm, including ended ones. */
export async function countLinks(tx: Tx, realm: Realm): Promise<number> {
  const [row] = await tx.query<{ found: number }>(
    {
      name: 'count_links',
      text: 'select count(*)::int as found from links where tenant_id = $1 and environment = $2',
    },
    [realm.tenantId, realm.environment],
  )
  if (row === undefined) throw new Error('bug: a count without a row')
  return row.found
}

export async function loadLink(tx: Tx, realm: Realm, { id, now }: { id: string; now: Instant }): Promise<Link | null> {
  const { from, to } = rangeOf(daysAround(millisecondsOf(now)))
  const [row] = await tx.query<LinkRow>(
    {
      name: 'load_link',
      text: `select l.request, ${columnsWithUncounted({ max: '$4', from: '$5', to: '$6' })} from links l
             where l.tenant_id = $1 and l.environment = $2 and l.id = $3`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, id, OPENINGS_READ_MAX, from, to],
  )
  return row === undefined ? null : toLink(tx, row)
}

/** Newest first, created before `before`. */
export async function listLinks(
  tx: Tx,
  realm: Realm,
  page: { readonly limit: number; readonly before: Instant; readonly now: Instant },
): Promise<ListedLink[]> {
  const { limit, before, now } = page
  const { from, to } = rangeOf(daysAround(millisecondsOf(now)))
  const ofEach = Math.ceil(OPENINGS_READ_MAX / limit)
  const rows = await tx.query<ListedRow & { bytes: number }>(
    {
      name: 'list_links',
      text: `select octet_length(l.request) as bytes, ${columnsWithUncounted({ max: '$5', from: '$6', to: '$7' })} from links l
             where l.tenant_id = $1 and l.environment = $2 and l.created_at < $3 order by l.created_at desc limit $4`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, before, limit, ofEach, from, to],
  )
  return rows.map((row) => ({ ...toListed(row), requestBytes: row.bytes }))
}

/** The sealed requests of links that still exist, by id. */
export async function loadSealedRequests(
  tx: Tx,
  realm: Realm,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await tx.query<Pick<LinkRow, 'id' | 'request'>>(
    {
      name: 'load_link_requests',
      text: 'select id, request from links where tenant_id = $1 and environment = $2 and id = any ($3::text[])',
    },
    [realm.tenantId, realm.environment, ids],
  )
  return new Map(rows.map(({ id, request }) => [id, request]))
}

/** Returns false if it was revoked before or does not exist. */
export async function markRevoked(tx: Tx, realm: Realm, revoke: { id: string; at: Instant }): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'revoke_link',
      text: `update links set revoked_at = $4
             where tenant_id = $1 and environment = $2 and id = $3 and revoked_at is null returning id`,
    },
    [realm.tenantId, realm.environment, revoke.id, revoke.at],
  )
  return rows.length === 1
}

export interface OpenableLink {
  readonly link: Link
  readonly tenantName: string
  readonly closed: Closed
}

/**
 * Finds a link by its secret, for a page that anyone may load: without the completed openings that are not counted yet.
 * null also if two tenants have the same secret.
 */
export async function findLinkAcrossTenants(tx: Tx, secretHash: Uint8Array): Promise<OpenableLink | null> {
  const [row, ...others] = await tx.query<LinkRow & { tenant_name: string; closed: Closed }>(
    {
      name: 'find_link_by_secret',
      text: `select l.request, ${COLUMNS}, t.name as tenant_name, ${closedColumn('t')} as closed
             from links l join tenants t on t.id = l.tenant_id where l.secret_hash = $1`,
    },
    [secretHash],
  )
  if (row === undefined || others.length > 0) return null
  return { link: toLink(tx, row), tenantName: row.tenant_name, closed: row.closed }
}

/**
 * Deletes links some days after they ended, were revoked or were used up; sooner if the tenant's retention is shorter.
 * A link with openings to count waits for the next run. Returns how many it deleted.
 */
export async function forgetLinksAcrossTenants(tx: Tx, now: Instant, rowsMax: number): Promise<number> {
  const rows = await tx.query(
    {
      name: 'forget_links',
      text: `with over as (
               select l.tenant_id, l.id from links l join tenants t on t.id = l.tenant_id
               where least(l.ends_at, l.revoked_at, case when l.opened >= l.uses then l.last_opened_at end)
                     <= $1::timestamptz - make_interval(days => least(${KEPT_DAYS}, t.retention_days))
                 and not exists (select from link_openings o where o.tenant_id = l.tenant_id and o.link_id = l.id)
               limit $2 for update of l skip locked)
             delete from links l using over where l.tenant_id = over.tenant_id and l.id = over.id returning l.id`,
    },
    [now, rowsMax],
  )
  return rows.length
}

/**
 * Deletes the requests of a moved tenant's links here, but keeps the rows that redirect to the new installation.
 * Returns the last id of this step; null if there are no more.
 */
export async function emptyLinks(
  tx: Tx,
  tenantId: string,
  { after, rowsMax }: { readonly after: string; readonly rowsMax: number },
): Promise<string | null> {
  const rows = await tx.query<{ id: string; environment: Environment }>(
    {
      name: 'find_links_to_empty',
      text: 'select id, environment from links where tenant_id = $1 and id > $2 order by id limit $3 for update',
    },
    [tenantId, after, rowsMax],
  )
  const sealed = rows.map((row) => tx.sealer.seal(Buffer.from('{}', 'utf8'), linkSealContext({ tenantId, ...row })))
  await tx.query(
    {
      name: 'empty_links',
      text: `update links l set request = g.request from unnest($2::text[], $3::bytea[]) as g (id, request)
             where l.tenant_id = $1 and l.id = g.id`,
    },
    [tenantId, rows.map(({ id }) => id), sealed],
  )
  return rows.at(-1)?.id ?? null
}

function creatorOf({ key_id, person_id }: ListedRow): LinkCreator {
  if (key_id !== null) return { kind: 'api_key', keyId: key_id }
  if (person_id !== null) return { kind: 'user', personId: person_id }
  throw new Error('bug: a link without its creator')
}

export const openRequest = ({ sealer }: Sealing, owner: Realm & { readonly id: string }, sealed: Buffer): LinkRequest =>
  JSON.parse(sealer.open(sealed, linkSealContext(owner)).toString('utf8'))

function toLink(sealing: Sealing, row: LinkRow): Link {
  const listed = toListed(row)
  return { ...listed, request: openRequest(sealing, listed, row.request) }
}

function toListed(row: ListedRow): Omit<ListedLink, 'requestBytes'> {
  const { id, tenantId, environment, createdAt, startsAt, endsAt, uses, opened, completed, revokedAt } = row
  const creator = { creator: creatorOf(row), creatorIsValid: row.person_id !== null || row.key_is_valid }
  return { id, tenantId, environment, ...creator, createdAt, startsAt, endsAt, uses, opened, completed, revokedAt }
}
