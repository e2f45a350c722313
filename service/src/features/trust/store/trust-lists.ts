// Reads and writes published trust lists and the outcome of their last refresh.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import { isVouchedType, type TrustList } from '../domain/anchor.ts'
import type { ListProviders } from '../domain/list-providers.ts'
import { readSoleType, renderSoleType } from '../domain/sole-type.ts'

const COLUMNS = `id, tenant_id as "tenantId", environment, by_owner as "byOwner", kind, providers, source, signer, types, sole,
                 signer_authority as "signerAuthority", signer_chain as "signerChain", created_at as "createdAt", issuer,
                 sequence, issued_at as "issuedAt", next_update_at as "nextUpdateAt", loaded_at as "loadedAt",
                 attempted_at as "attemptedAt", failure, mismatched, other_issues as "otherIssues"`

type ListRow = Omit<TrustList, 'types' | 'sole'> & { readonly types: string[]; readonly sole: unknown }

/** Lists of the realm and of the operator. */
export async function listTrustListsOf(tx: Tx, realm: Realm): Promise<TrustList[]> {
  const rows = await tx.query<ListRow>(
    {
      name: 'list_trust_lists_of',
      text: `select ${COLUMNS} from trust_lists where environment = $2 and (tenant_id = $1 or tenant_id is null)
             order by created_at, id`,
    },
    [realm.tenantId, realm.environment],
  )
  return rows.map(toList)
}

/** All lists of all owners, for the operator. */
export async function listTrustLists(tx: Tx): Promise<TrustList[]> {
  const rows = await tx.query<ListRow>({
    name: 'list_trust_lists',
    text: `select ${COLUMNS} from trust_lists order by created_at, id`,
  })
  return rows.map(toList)
}

export async function insertTrustList(tx: Tx, list: TrustList): Promise<void> {
  const { id, tenantId, environment, byOwner, kind, source, signer, signerAuthority, types, createdAt, providers } =
    list
  const sole = list.sole === undefined ? null : JSON.stringify(renderSoleType(list.sole))
  await tx.query(
    {
      name: 'insert_trust_list',
      text: `insert into trust_lists (id, tenant_id, environment, by_owner, kind, source, signer, signer_authority, types,
                                      sole, created_at, providers)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    },
    [id, tenantId, environment, byOwner, kind, source, signer, signerAuthority, types, sole, createdAt, providers],
  )
}

/** `tenantId` is null for the operator. */
type Owned = Pick<TrustList, 'id' | 'tenantId'>
/** With the kind as which the list was read. */
type ReadAs = Owned & Pick<TrustList, 'providers'>

export interface Loaded {
  readonly issuer: string | null
  readonly sequence: number | null
  readonly issuedAt: Instant | null
  readonly nextUpdateAt: Instant
  readonly signerChain: readonly Uint8Array[] | null
  /** The hash of the loaded bytes. */
  readonly sha256: Uint8Array
}

/** Returns false if the list no longer exists, has another kind, has lost its grant, or has loaded a newer issue in the meantime. */
export async function noteLoaded(tx: Tx, list: ReadAs, loaded: Loaded & { readonly at: Instant }): Promise<boolean> {
  const { issuer, sequence, issuedAt, nextUpdateAt, at, signerChain, sha256 } = loaded
  const rows = await tx.query(
    {
      name: 'note_trust_list_loaded',
      text: `update trust_lists set issuer = $2, sequence = $3, issued_at = $4, next_update_at = $5, loaded_at = $6,
                    attempted_at = $6, failure = null, mismatched = false, signer_chain = $7, sha256 = $8
             where id = $1 and tenant_id is not distinct from $9 and cardinality(types) > 0 and providers = $10
               and (sequence is null or $3::bigint is null or sequence <= $3)
               and (issued_at is null or $4::timestamptz is null or issued_at <= $4) returning id`,
    },
    [list.id, issuer, sequence, issuedAt, nextUpdateAt, at, signerChain, sha256, list.tenantId, list.providers],
  )
  return rows.length === 1
}

/**
 * `mismatched`: the address served a list of another kind, or all trust in its issuers has ended. Only a list of the
 * right kind resets this, and an unavailable host does not. Does nothing if the list has another kind in the meantime.
 */
export async function noteFailure(
  tx: Tx,
  list: ReadAs,
  failed: { readonly at: Instant; readonly failure: string; readonly mismatched?: boolean },
): Promise<void> {
  await tx.query(
    {
      name: 'note_trust_list_failure',
      text: `update trust_lists set attempted_at = $2, failure = $3, mismatched = mismatched or $4
             where id = $1 and tenant_id is not distinct from $5 and cardinality(types) > 0
               and providers is not distinct from $6`,
    },
    [list.id, failed.at, failed.failure, failed.mismatched ?? false, list.tenantId, list.providers],
  )
}

/** Ends the grant: the list vouches for nothing and is not read again. Returns false if there is no such list with a grant. */
export async function endGrant(
  tx: Tx,
  list: Owned,
  { failure, mismatched }: { readonly failure: string; readonly mismatched: boolean },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'take_grant_of_trust_list',
      text: `update trust_lists set types = '{}', sole = null, failure = $2, mismatched = mismatched or $4
             where id = $1 and tenant_id is not distinct from $3 and cardinality(types) > 0 returning id`,
    },
    [list.id, failure, list.tenantId, mismatched],
  )
  return rows.length === 1
}

/** SQL: number and time of the newest issue that a list has loaded, for each known kind. */
const issuesOf = (list: string) => `${list}.other_issues || case when ${list}.providers is null then '{}' else
  jsonb_build_object(${list}.providers, jsonb_build_object('sequence', ${list}.sequence, 'issuedAt',
    to_char(${list}.issued_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))) end`

/** Copies what a replaced list has loaded as other kinds to its successor, which must have the same signer. */
export async function takeOtherIssuesOver(tx: Tx, list: Owned, replaced: string): Promise<void> {
  await tx.query(
    {
      name: 'take_other_issues_over',
      text: `update trust_lists l set other_issues = (
               select coalesce(jsonb_object_agg(kind, issue), '{}') from (
                 select kind, jsonb_build_object('sequence', max((issue ->> 'sequence')::bigint), 'issuedAt', max(issue ->> 'issuedAt')) as issue
                 from (select * from jsonb_each(l.other_issues) union all select * from jsonb_each(${issuesOf('r')})) known (kind, issue)
                 where kind <> l.providers group by kind) newest)
             from trust_lists r where r.id = $2 and r.tenant_id is not distinct from $3 and l.id = $1
               and l.tenant_id is not distinct from $3`,
    },
    [list.id, replaced, list.tenantId],
  )
}

/**
 * Another kind is a mismatch until a list of that kind has loaded. Number and time are kept for each known kind, and
 * compared only with those of the same kind. Without `nextUpdateAt`, the loaded list vouches for nothing: it was read as
 * the kind from before. Returns null if the list no longer exists.
 */
export async function setListProviders(tx: Tx, list: Owned, providers: ListProviders): Promise<TrustList | null> {
  const [row] = await tx.query<ListRow>(
    {
      name: 'set_trust_list_providers',
      text: `update trust_lists set providers = $2, mismatched = mismatched or providers is distinct from $2,
                    failure = case when providers = $2 then failure else 'the list was not read since its kind was set' end,
                    other_issues = case when providers = $2 then other_issues else ${issuesOf('trust_lists')} end,
                    sequence = case when providers = $2 then sequence else (other_issues -> $2 ->> 'sequence')::bigint end,
                    issued_at = case when providers = $2 then issued_at
                      else (other_issues -> $2 ->> 'issuedAt')::timestamptz end,
                    next_update_at = case when providers = $2 or providers is null then next_update_at end
             where id = $1 and tenant_id is not distinct from $3 returning ${COLUMNS}`,
    },
    [list.id, providers, list.tenantId],
  )
  return row === undefined ? null : toList(row)
}

/** Also deletes the list's anchors. Returns null if the realm has no such list. */
export async function deleteTrustList(tx: Tx, id: string, realm: Realm | null): Promise<TrustList | null> {
  const [row] = await tx.query<ListRow>(
    {
      name: 'delete_trust_list',
      text: `delete from trust_lists
             where id = $1 and ($2::text is null or (tenant_id = $2 and environment = $3)) returning ${COLUMNS}`,
    },
    [id, realm?.tenantId ?? null, realm?.environment ?? null],
  )
  return row === undefined ? null : toList(row)
}

function toList({ types, sole, ...list }: ListRow): TrustList {
  const marked = readSoleType(sole)
  return { ...list, types: types.filter(isVouchedType), ...(marked === null ? {} : { sole: marked }) }
}
