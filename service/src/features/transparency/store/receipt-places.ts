// Finds where receipts are in the log, and which ones wait to enter it.

import { isOfServedTenant } from '../../../core/tenants/store/closed.ts'
import type { Tx } from '../../../platform/postgres/db.ts'

/**
 * SQL for the index of a receipt's leaf; null: not in the log. Numbered receipts share one row per batch in
 * `receipt_places`. Receipts of earlier releases or of other installations store their own index.
 */
export const leafOf = (receipt: string) =>
  `coalesce(${receipt}.leaf_index, (
     select p.leaves[array_position(p.seqs, ${receipt}.seq)] from receipt_places p
     where p.tenant_id = ${receipt}.tenant_id and p.environment = ${receipt}.environment and p.up_to >= ${receipt}.seq
       and ${receipt}.seq = any (p.seqs)
     order by p.up_to limit 1))`

/** SQL: the receipt has no number and is not in the log. */
const isSingle = (receipt: string) => `${receipt}.leaf_index is null and ${receipt}.seq is null`

/**
 * Numbered receipts (`r`) that wait to enter the log, by their rows in the queue (`u`). The audit entry with the
 * receipt's number names the verification, which leads to the receipt.
 */
const QUEUED = `unlogged_receipts u cross join lateral unnest(u.seqs) as g (seq)
  cross join lateral (select object_id from audit_entries e
    where e.tenant_id = u.tenant_id and e.environment = u.environment and e.seq = g.seq offset 0) e
  cross join lateral (select * from receipts where verification_id = e.object_id offset 0) r
  where r.tenant_id = u.tenant_id and r.environment = u.environment and r.seq = g.seq`

/** All receipts that are not in the log, with `verification_id`, `tenant_id` and `jws`. */
export const UNLOGGED = `(
  select s.verification_id, s.tenant_id, s.jws from receipts s where ${isSingle('s')}
  union all select r.verification_id, r.tenant_id, r.jws from ${QUEUED})`

/** SQL: the receipt has no signature. Compares bytes, because `right` would decode the whole text. */
export const unsignedIn = (table: string) =>
  `substr(convert_to(${table}.jws, 'UTF8'), octet_length(${table}.jws)) = '\\x2e'`

export interface UnloggedReceipt {
  readonly verificationId: string
  readonly jws: string
  /** null: the receipt has no number. */
  readonly queued: Queued | null
}

interface Queued {
  readonly tenantId: string
  readonly environment: string
  readonly seq: number
  /** The ctid of the receipt's row in the queue. */
  readonly row: string
}

type FoundReceipt = Pick<UnloggedReceipt, 'verificationId' | 'jws'>
type NoQueue = Readonly<Record<keyof Queued, null>>

/** Finds signed receipts, first those without a number. The order does not matter: the log shuffles each batch. */
export async function findUnloggedReceiptsAcrossTenants(tx: Tx, rowsMax: number): Promise<UnloggedReceipt[]> {
  const rows = await tx.query<FoundReceipt & (Queued | NoQueue)>(
    {
      name: 'find_unlogged_receipts',
      text: `(select r.verification_id as "verificationId", r.jws, null as "tenantId", null as environment, null::bigint as seq, null as row
              from receipts r
              where ${isSingle('r')} and r.arrived is not true and not ${unsignedIn('r')} and ${isOfServedTenant('r')}
              order by r.verification_id limit $1)
             union all
             (select r.verification_id, r.jws, u.tenant_id, u.environment, r.seq, u.ctid::text
              from ${QUEUED} and not ${unsignedIn('r')} and ${isOfServedTenant('u')} limit $1)
             limit $1`,
    },
    [rowsMax],
  )
  return rows.map(({ verificationId, jws, ...queued }) => ({
    verificationId,
    jws,
    queued: queued.seq === null ? null : queued,
  }))
}

/** Finds receipts that came with a tenant from another installation. That installation's log already has them. */
export async function findArrivedReceiptsAcrossTenants(tx: Tx, rowsMax: number): Promise<UnloggedReceipt[]> {
  const rows = await tx.query<FoundReceipt>(
    {
      name: 'find_arrived_receipts',
      text: `select r.verification_id as "verificationId", r.jws from receipts r
             where r.leaf_index is null and r.arrived and ${isOfServedTenant('r')} order by r.verification_id limit $1`,
    },
    [rowsMax],
  )
  return rows.map((one) => ({ ...one, queued: null }))
}

interface LoggedReceipt {
  readonly receipt: UnloggedReceipt
  readonly leafIndex: number
  readonly leafSalt: Buffer | null
}

/** Records the leaves of receipts. Must run in the transaction that found the receipts and locked the log. */
export async function noteLoggedReceipts(tx: Tx, logged: readonly LoggedReceipt[]): Promise<void> {
  const singles = logged.filter(({ receipt }) => receipt.queued === null)
  if (singles.length > 0) await noteSingles(tx, singles)
  const queued = logged.flatMap(({ receipt, leafIndex }) =>
    receipt.queued === null ? [] : [{ ...receipt.queued, leafIndex }],
  )
  if (queued.length > 0) await noteQueued(tx, queued)
}

async function noteSingles(tx: Tx, logged: readonly LoggedReceipt[]): Promise<void> {
  await tx.query(
    {
      name: 'note_logged_receipts',
      text: `update receipts r set leaf_index = g.leaf_index, leaf_salt = g.leaf_salt
             from unnest($1::text[], $2::bigint[], $3::bytea[]) as g (id, leaf_index, leaf_salt)
             where r.verification_id = g.id and r.verification_id = any ($1)`,
    },
    [
      logged.map(({ receipt }) => receipt.verificationId),
      logged.map(({ leafIndex }) => leafIndex),
      logged.map(({ leafSalt }) => leafSalt),
    ],
  )
}

/** Removes logged receipts from the queue. Receipts that could not enter (unsigned, or too many) stay queued. */
async function noteQueued(tx: Tx, logged: readonly (Queued & { readonly leafIndex: number })[]): Promise<void> {
  await tx.query(
    {
      name: 'note_queued_receipts',
      text: `with logged as (
               select * from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[]) as g (tenant_id, environment, seq, leaf)
             ), taken as (
               delete from unlogged_receipts where ctid = any ($1::tid[]) returning tenant_id, environment, seqs
             ), kept as (
               insert into unlogged_receipts (tenant_id, environment, seqs)
               select t.tenant_id, t.environment, array_agg(t.seq)
               from (select tenant_id, environment, unnest(seqs) as seq from taken) t
               where not exists (select from logged l
                 where l.tenant_id = t.tenant_id and l.environment = t.environment and l.seq = t.seq)
               group by t.tenant_id, t.environment
             )
             insert into receipt_places as p (tenant_id, environment, up_to, seqs, leaves)
             select tenant_id, environment, max(seq), array_agg(seq), array_agg(leaf) from logged group by tenant_id, environment
             on conflict (tenant_id, environment, up_to) do update
               set seqs = p.seqs || excluded.seqs, leaves = p.leaves || excluded.leaves`,
    },
    [
      [...new Set(logged.map(({ row }) => row))],
      logged.map(({ tenantId }) => tenantId),
      logged.map(({ environment }) => environment),
      logged.map(({ seq }) => seq),
      logged.map(({ leafIndex }) => leafIndex),
    ],
  )
}
