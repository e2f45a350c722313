// Reads and writes trust anchors. Only the facts of a row are ever updated, so an id identifies the anchor's content.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { inSlices } from '../../../platform/event-loop/slices.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import {
  type AnchorView,
  type InstalledAnchor,
  isAllowedIn,
  isVouchedType,
  OPERATOR_TYPES,
  type ShownAnchor,
  type TrustList,
  withoutBlocked,
} from '../domain/anchor.ts'
import { type AnchorFacts, anchorFacts } from '../domain/anchor-facts.ts'
import type { Owner } from '../domain/certificate-use.ts'
import {
  ANY_DOCUMENT_TYPE,
  type ListedKeys,
  readSoleType,
  renderSoleType,
  typesByKey,
  withListedKeys,
  withoutContradictedMarks,
} from '../domain/sole-type.ts'
import { loadListedKeys } from './listed-keys.ts'

/** A notification on this channel makes replicas drop their cached anchors. */
export const ANCHOR_CHANNEL = 'anchors'

/** Anchors may name thousands of types together. They are read as text, which is parsed a few anchors at a time. */
const columnsWith = (types: string) =>
  `a.id, a.tenant_id as "tenantId", a.environment, a.kind, a.profile, to_json(${types})::text as types, a.sole,
   a.list_id as "listId", a.created_at as "createdAt"`
const FACTS = 'a.public_key_sha256, a.subject, a.valid_until'
const COLUMNS = `${columnsWith('a.types')}, a.certificate, ${FACTS}`

interface AnchorRow extends Omit<InstalledAnchor, 'types' | 'sole' | 'issue'> {
  types: string
  type_count?: number
  contradicted?: boolean
  sole: unknown
  public_key_sha256: Buffer | null
  subject: string | null
  valid_until: Instant | null
  list_source?: string | null
  list_sequence?: number | null
  list_sha256?: Buffer | null
}

/**
 * Loads anchors of the tenant and of the operator. If an anchor claims a sole type, also loads those of expired lists:
 * they vouch for nothing, but their keys can contradict the claim. Keys that lists name for other types contradict it
 * too.
 */
export async function loadAnchors(
  tx: Tx,
  realm: Realm,
  now: Instant,
  listedKeys: FindListedKeys = (docTypes) => findListedKeys(tx, realm, docTypes),
): Promise<InstalledAnchor[]> {
  const rows = await tx.query<AnchorRow & { readonly ended: boolean }>(
    {
      name: 'load_anchors',
      text: `select ${COLUMNS}, l.source as list_source, l.sequence as list_sequence, l.sha256 as list_sha256,
                    a.list_id is not null and l.next_update_at > $3 is not true as ended
             from anchors a
             left join trust_lists l on l.id = a.list_id and l.tenant_id is not distinct from a.tenant_id
             where a.environment = $2 and (a.tenant_id = $1 or a.tenant_id is null)
               and (a.list_id is null or l.next_update_at > $3 or exists (
                 select from anchors m where m.sole is not null and m.environment = $2
                   and (m.tenant_id = $1 or m.tenant_id is null)))
             order by a.id`,
    },
    [realm.tenantId, realm.environment, now],
  )
  const keys = new Map(rows.map((row) => [row.id, row]))
  const keyOf = ({ id, certificate }: InstalledAnchor) => factsOf(keys.get(id), certificate).keySha256
  const usable = await inSlices(eachAnchor(rows.filter(({ ended }) => !ended)))
  const ended = await inSlices(eachAnchor(rows.filter((row) => row.ended)))
  const anchors = usable.filter((anchor) => isAllowedIn(realm.environment, anchor))
  const vouching = withoutContradictedMarks(withoutBlocked(anchors, keyOf), ended, keyOf)
  const marked = [...new Set(vouching.flatMap((anchor) => ('sole' in anchor ? [anchor.sole?.docType ?? ''] : [])))]
  const listed = marked.length === 0 ? NO_KEYS : await listedKeys(marked)
  return [
    ...withListedKeys(vouching, listed, keyOf),
    ...ended.map(({ types, ...anchor }) => ({ ...anchor, types: [], ended: types })),
  ]
}

/** Returns a text that changes with what `loadAnchors` would read. Loading thousands of anchors every few seconds would be slow. */
export async function loadAnchorsState(tx: Tx, realm: Realm, now: Instant): Promise<string> {
  const [row] = await tx.query<{ state: string }>(
    {
      name: 'load_anchors_state',
      // xmin changes with every update of a row.
      text: `select concat(
               (select md5(string_agg(concat_ws(' ', a.id, a.xmin), ',' order by a.id)) from anchors a
                where a.environment = $2 and (a.tenant_id = $1 or a.tenant_id is null)), ' ',
               (select md5(string_agg(concat_ws(' ', l.id, l.xmin, l.next_update_at > $3), ',' order by l.id)) from trust_lists l
                where l.environment = $2 and (l.tenant_id = $1 or l.tenant_id is null))) as state`,
    },
    [realm.tenantId, realm.environment, now],
  )
  if (row === undefined) throw new Error('bug: a select without from gave no row')
  return row.state
}

/** Finds the keys that lists name for types other than these; null if not all keys are known. */
export type FindListedKeys = (docTypes: readonly string[]) => Promise<ListedKeys | null>

const NO_KEYS: ListedKeys = new Map()

export async function findListedKeys(tx: Tx, realm: Realm, docTypes: readonly string[]): Promise<ListedKeys | null> {
  const listed = await loadListedKeys(tx, realm, docTypes)
  return listed === null ? null : inSlices(typesByKey(listed))
}

/** SQL: the first types of an anchor. */
const SHOWN_TYPES = 'a.types[1:20]'
/** SQL: anchors of the realm $1 and $2 and of the operator, the realm's own hand-added ones first; at most $3. */
const SHOWN = `from anchors a where a.environment = $2 and (a.tenant_id = $1 or a.tenant_id is null)
               order by a.list_id is not null, a.tenant_id nulls last, a.created_at, a.id limit $3`

/** Returns the bytes of the types that `listAnchorsOf` would load. */
export async function measureAnchorsOf(tx: Tx, realm: Realm, most: number): Promise<number> {
  const [row] = await tx.query<{ bytes: number }>(
    {
      name: 'measure_anchors_of',
      text: `select coalesce(sum(octet_length(array_to_string(types, ','))), 0)::int as bytes
             from (select ${SHOWN_TYPES} as types ${SHOWN}) shown`,
    },
    [realm.tenantId, realm.environment, most],
  )
  return row?.bytes ?? 0
}

/**
 * Lists at most `most` anchors of the realm and of the operator, even of expired lists, with their first types. Reads a
 * certificate only if its facts are not stored yet.
 */
export async function listAnchorsOf(tx: Tx, realm: Realm, most: number | null): Promise<ShownAnchor[]> {
  const rows = await tx.query<AnchorRow>(
    {
      name: 'list_anchors_of',
      text: `select ${columnsWith(SHOWN_TYPES)}, cardinality(a.types) as type_count,
                    case when a.public_key_sha256 is null then a.certificate end as certificate, ${FACTS},
                    a.sole is not null and a.public_key_sha256 in (
                      select o.public_key_sha256 from anchors o
                      where o.environment = $2 and (o.tenant_id = $1 or o.tenant_id is null)
                        and exists (select from unnest(o.types) as vouched where vouched like $4)
                      group by 1 having count(distinct coalesce(o.sole::jsonb, 'null')) > 1) as contradicted ${SHOWN}`,
    },
    [realm.tenantId, realm.environment, most, ANY_DOCUMENT_TYPE],
  )
  return rows.map((row) => {
    const { certificate: _, ...shown } = toView(row)
    return { ...shown, typeCount: row.type_count ?? shown.types.length, isContradicted: row.contradicted === true }
  })
}

/** Counts what `listAnchorsOf` could list, and how many of these the tenant added by hand. */
export async function countAnchorsOf(tx: Tx, realm: Realm): Promise<{ readonly all: number; readonly byHand: number }> {
  const [row] = await tx.query<{ all: number; by_hand: number }>(
    {
      name: 'count_anchors_of',
      text: `select count(*)::int as all, (count(*) filter (where tenant_id is not null and list_id is null))::int as by_hand
             from anchors where environment = $2 and (tenant_id = $1 or tenant_id is null)`,
    },
    [realm.tenantId, realm.environment],
  )
  return { all: row?.all ?? 0, byHand: row?.by_hand ?? 0 }
}

/** Lists anchors with this key that block other anchors; those of every tenant if `owner` has no tenant. */
export async function listBlockingOfKey(tx: Tx, owner: Owner, keySha256: string): Promise<AnchorView[]> {
  const rows = await tx.query<AnchorRow>(
    {
      name: 'list_firm_anchors_of_key',
      text: `select ${COLUMNS} from anchors a
             where a.environment = $2 and (a.public_key_sha256 = $3 or a.public_key_sha256 is null)
               and (a.tenant_id is null or (($1::text is null or a.tenant_id = $1) and a.types && $4::text[]))
             order by a.tenant_id nulls first, a.created_at, a.id`,
    },
    [owner.tenantId, owner.environment, Buffer.from(keySha256, 'hex'), OPERATOR_TYPES],
  )
  return rows.map(toView).filter((anchor) => anchor.keySha256 === keySha256)
}

/** Lists the anchors of all owners, for the operator. */
export async function listAllAnchors(tx: Tx): Promise<AnchorView[]> {
  const rows = await tx.query<AnchorRow>({
    name: 'list_all_anchors',
    text: `select ${COLUMNS} from anchors a order by a.environment, a.tenant_id nulls first, a.created_at, a.id`,
  })
  return rows.map(toView)
}

const FILLED_AT_ONCE = 200

/** Stores facts of anchors that an earlier release stored without facts. */
export async function fillAnchorFacts(tx: Tx, stopped: AbortSignal): Promise<void> {
  let after = ''
  for (;;) {
    stopped.throwIfAborted()
    const rows = await tx.query<Pick<AnchorRow, 'id' | 'certificate'>>(
      {
        name: 'list_anchors_to_fill',
        text: 'select id, certificate from anchors where public_key_sha256 is null and id > $1 order by id limit $2',
      },
      [after, FILLED_AT_ONCE],
    )
    for (const { id, certificate } of rows) {
      const facts = anchorFacts(certificate)
      if (facts === null) continue
      await tx.query(
        {
          name: 'fill_anchor_facts',
          text: 'update anchors set public_key_sha256 = $2, subject = $3, valid_until = $4 where id = $1',
        },
        [id, ...factValues(facts)],
      )
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

const factValues = ({ keySha256, subject, validUntil }: AnchorFacts) => [
  Buffer.from(keySha256, 'hex'),
  subject,
  validUntil,
]

export async function insertAnchors(tx: Tx, anchors: readonly AnchorView[]): Promise<void> {
  for (const anchor of anchors) {
    const { id, tenantId, environment, kind, profile, types, certificate, listId, createdAt } = anchor
    const sole = anchor.sole === undefined ? null : JSON.stringify(renderSoleType(anchor.sole))
    const facts = factValues(anchor)
    await tx.query(
      {
        name: 'insert_anchor',
        text: `insert into anchors (id, tenant_id, environment, kind, profile, types, sole, certificate, list_id, created_at,
                                    public_key_sha256, subject, valid_until)
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      },
      [id, tenantId, environment, kind, profile, types, sole, certificate, listId, createdAt, ...facts],
    )
  }
  await notifyAnchors(tx)
}

/** Returns null if the realm has no such anchor, or if it belongs to a list: such anchors are deleted with their list. */
export async function deleteAnchor(tx: Tx, id: string, realm: Realm | null): Promise<InstalledAnchor | null> {
  const [row] = await tx.query<AnchorRow>(
    {
      name: 'delete_anchor',
      text: `delete from anchors a where a.id = $1 and a.list_id is null
               and ($2::text is null or (a.tenant_id = $2 and a.environment = $3)) returning ${COLUMNS}`,
    },
    [id, realm?.tenantId ?? null, realm?.environment ?? null],
  )
  if (row !== undefined) await notifyAnchors(tx)
  return row === undefined ? null : toAnchor(row)
}

export async function deleteAnchorsOfList(tx: Tx, list: Pick<TrustList, 'id' | 'tenantId'>): Promise<void> {
  await tx.query(
    {
      name: 'delete_anchors_of_list',
      text: 'delete from anchors where list_id = $1 and tenant_id is not distinct from $2',
    },
    [list.id, list.tenantId],
  )
  await notifyAnchors(tx)
}

export async function notifyAnchors(tx: Tx): Promise<void> {
  await tx.query({ name: 'notify_anchors', text: `select pg_notify('${ANCHOR_CHANNEL}', '')` })
}

const toView = (row: AnchorRow): AnchorView => ({ ...toAnchor(row), ...factsOf(row, row.certificate) })

function factsOf(row: AnchorRow | undefined, certificate: Uint8Array): AnchorFacts {
  if (row?.public_key_sha256 != null && row.subject !== null)
    return { keySha256: row.public_key_sha256.toString('hex'), subject: row.subject, validUntil: row.valid_until }
  const facts = anchorFacts(certificate)
  if (facts === null) throw new Error('bug: the certificate of an anchor cannot be read')
  return facts
}

function* eachAnchor(rows: readonly AnchorRow[]): Generator<void, InstalledAnchor[]> {
  const anchors: InstalledAnchor[] = []
  for (const row of rows) {
    yield
    anchors.push(toAnchor(row))
  }
  return anchors
}

function toAnchor(row: AnchorRow): InstalledAnchor {
  const { id, tenantId, environment, kind, profile, certificate, listId, createdAt } = row
  const types = (JSON.parse(row.types) as string[]).filter(isVouchedType)
  const sole = readSoleType(row.sole)
  const marked = sole === null ? {} : { sole }
  return { id, tenantId, environment, kind, profile, types, ...marked, certificate, listId, createdAt, ...issueOf(row) }
}

function issueOf({ list_source, list_sequence, list_sha256 }: AnchorRow): Pick<InstalledAnchor, 'issue'> {
  if (list_source == null) return {}
  return {
    issue: { uri: list_source, sequence: list_sequence ?? null, sha256: list_sha256?.toString('base64url') ?? null },
  }
}
