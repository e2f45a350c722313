// Stores which document types a published list names for a key, even if the list does not vouch for it.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { TrustList } from '../domain/anchor.ts'
import { ANY_DOCUMENT_TYPE, type ListedKey } from '../domain/sole-type.ts'

/** SQL: an earlier release loaded the list without storing its keys. */
const UNREAD = '(l.loaded_at is not null and (l.keys_sha256 = l.sha256) is not true)'

/**
 * Adds the keys of a list's new issue. Of earlier issues, keeps the newest `most` keys, because documents in wallets
 * may be signed with them.
 */
export async function noteListedKeys(
  tx: Tx,
  list: Pick<TrustList, 'id' | 'tenantId'>,
  { keys, at, most }: { readonly keys: readonly ListedKey[]; readonly at: Instant; readonly most: number },
): Promise<void> {
  await tx.query(
    {
      name: 'note_listed_keys',
      text: `insert into listed_keys (list_id, tenant_id, public_key_sha256, doc_type, named_at)
             select $1, $5, decode(named.key, 'hex'), named.doc_type, $4
             from unnest($2::text[], $3::text[]) as named (key, doc_type)
             on conflict (list_id, public_key_sha256) do update set named_at = excluded.named_at,
               doc_type = case when listed_keys.doc_type = excluded.doc_type then excluded.doc_type end`,
    },
    [list.id, keys.map(({ keySha256 }) => keySha256), keys.map(({ docType }) => docType), at, list.tenantId],
  )
  await tx.query(
    {
      name: 'forget_old_listed_keys',
      text: `delete from listed_keys where list_id = $1 and named_at < (
               select named_at from listed_keys where list_id = $1 order by named_at desc offset $2 - 1 limit 1)`,
    },
    [list.id, most],
  )
  const text = 'update trust_lists set keys_sha256 = sha256 where id = $1 and tenant_id is not distinct from $2'
  await tx.query({ name: 'note_keys_of_issue', text }, [list.id, list.tenantId])
}

/** Copies the keys of a replaced list to its successor, so that the keys stay known without the replaced list. */
export async function takeListedKeysOver(
  tx: Tx,
  list: Pick<TrustList, 'id' | 'tenantId'>,
  replaced: string,
): Promise<void> {
  await tx.query(
    {
      name: 'take_listed_keys_over',
      text: `insert into listed_keys (list_id, tenant_id, public_key_sha256, doc_type, named_at)
             select $1, $3, k.public_key_sha256, k.doc_type, k.named_at
             from listed_keys k where k.list_id = $2 on conflict (list_id, public_key_sha256) do update
               set named_at = greatest(listed_keys.named_at, excluded.named_at),
                 doc_type = case when listed_keys.doc_type = excluded.doc_type then excluded.doc_type end`,
    },
    [list.id, replaced, list.tenantId],
  )
}

/** Sets the tenant, which an earlier release did not store. */
export async function nameTenantOfListedKeys(tx: Tx, tenantId: string): Promise<void> {
  await tx.query(
    {
      name: 'name_tenant_of_listed_keys',
      text: `update listed_keys k set tenant_id = l.tenant_id from trust_lists l
             where l.id = k.list_id and l.tenant_id = $1 and k.tenant_id is null`,
    },
    [tenantId],
  )
}

/**
 * Removes a tenant's marks that the operator's lists or anchors contradict, or may contradict because a list's keys are
 * unknown. They do not move with the tenant, so elsewhere the mark would hold. A list's mark applies to all its
 * anchors.
 */
export async function dropContradictedMarks(tx: Tx, tenantId: string): Promise<void> {
  await tx.query(
    {
      name: 'drop_contradicted_marks',
      text: `with contradicted as (
               select m.id, m.list_id from anchors m where m.tenant_id = $1 and m.sole is not null and (
                 exists (select from listed_keys k join trust_lists l on l.id = k.list_id
                         where l.tenant_id is null and k.tenant_id is null and l.environment = m.environment
                           and k.public_key_sha256 = m.public_key_sha256
                           and k.doc_type is distinct from m.sole ->> 'doc_type')
                 or exists (select from trust_lists l where l.tenant_id is null and l.environment = m.environment and ${UNREAD})
                 or exists (select from anchors o, unnest(o.types) as vouched
                            where o.tenant_id is null and o.environment = m.environment
                              and o.public_key_sha256 = m.public_key_sha256
                              and o.sole::jsonb is distinct from m.sole::jsonb and vouched like $2))
             ), lists as (
               update trust_lists set sole = null where tenant_id = $1 and id in (select list_id from contradicted)
             )
             update anchors set sole = null where tenant_id = $1
               and (id in (select id from contradicted) or list_id in (select list_id from contradicted))`,
    },
    [tenantId, ANY_DOCUMENT_TYPE],
  )
}

/**
 * Loads keys that lists of the realm and of the operator name for types other than these. null: a list was loaded by an
 * earlier release, so its keys are unknown.
 */
export async function loadListedKeys(tx: Tx, realm: Realm, docTypes: readonly string[]): Promise<ListedKey[] | null> {
  const rows = await tx.query<{ unread: boolean; key: string | null; doc_type: string | null }>(
    {
      name: 'load_listed_keys',
      text: `select ${UNREAD} as unread, encode(k.public_key_sha256, 'hex') as key, k.doc_type
             from trust_lists l left join listed_keys k on k.list_id = l.id
               and (k.doc_type is null or cardinality($3::text[]) > 1 or k.doc_type <> all ($3))
             where l.environment = $2 and (l.tenant_id = $1 or l.tenant_id is null)`,
    },
    [realm.tenantId, realm.environment, docTypes],
  )
  if (rows.some(({ unread }) => unread)) return null
  return rows.flatMap(({ key, doc_type }) => (key === null ? [] : [{ keySha256: key, docType: doc_type }]))
}

/** Returns a text that changes with what `loadListedKeys` would read. */
export async function loadListedKeysState(tx: Tx, realm: Realm): Promise<string> {
  const [row] = await tx.query<{ state: string | null }>(
    {
      name: 'load_listed_keys_state',
      text: `select string_agg(list.state, ',' order by list.state) as state from (
               select concat_ws(' ', l.id, ${UNREAD}, count(k.list_id), count(k.doc_type), extract(epoch from max(k.named_at))) as state
               from trust_lists l left join listed_keys k on k.list_id = l.id
               where l.environment = $2 and (l.tenant_id = $1 or l.tenant_id is null) group by l.id) list`,
    },
    [realm.tenantId, realm.environment],
  )
  return row?.state ?? ''
}

/** Lists the addresses of lists whose keys are unknown, for the operator. */
export async function listUnreadLists(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ source: string }>({
    name: 'list_unread_lists',
    text: `select l.source from trust_lists l where ${UNREAD} order by l.created_at, l.id`,
  })
  return rows.map(({ source }) => source)
}

interface ContradictedMark {
  readonly id: string
  /** The list of the anchor; null: added by hand. */
  readonly list_id: string | null
  readonly subject: string
  /** The list that names the anchor's key for another type. */
  readonly source: string
}

/** Lists marked anchors, for the operator, whose key a list names or has named for another type. Each anchor once. */
export function listContradictedMarks(tx: Tx): Promise<ContradictedMark[]> {
  return tx.query<ContradictedMark>({
    name: 'list_contradicted_marks',
    text: `select distinct on (m.created_at, m.id) m.id, m.list_id, coalesce(m.subject, 'an anchor') as subject, l.source
           from anchors m
           join listed_keys k on k.public_key_sha256 = m.public_key_sha256
           join trust_lists l on l.id = k.list_id and l.environment = m.environment
             and (l.tenant_id is null or m.tenant_id is null or l.tenant_id = m.tenant_id)
           where m.sole is not null and k.doc_type is distinct from m.sole ->> 'doc_type'
           order by m.created_at, m.id, l.id`,
  })
}
