// Reads audit chains: in their order for export and verification, newest first for people.

import type { RecordedEntry } from '../../domain/audit/export.ts'
import type { SealedHead } from '../../domain/audit/head-seal.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import type { Tx } from '../postgres/db.ts'

interface Row {
  seq: number
  bytes: Buffer
  hash: Buffer
  salt: Buffer | null
  details: unknown
}

const SELECT = `select e.seq, e.bytes, e.hash, d.salt, d.details from audit_entries e
  left join audit_details d on d.tenant_id = e.tenant_id and d.environment = e.environment and d.seq = e.seq
  where e.tenant_id = $1 and e.environment = $2`

export interface ChainPage {
  readonly entries: readonly RecordedEntry[]
  /** null: there is none. */
  readonly head: SealedHead | null
}

/**
 * Entries, details and head of one page are of one moment: where details are missing, their erasure is in the chain already;
 * and where no entry is left, the last one is what the head names.
 */
export async function readChainAfter(
  tx: Tx,
  realm: Realm,
  page: { readonly after: number; readonly limit: number },
): Promise<ChainPage> {
  const rows = await tx.query<HeadColumns & (Row | { readonly seq: null })>(
    {
      name: 'read_audit_chain_after',
      text: `select h.seq as head_seq, h.hash as head_hash, h.at as head_at, h.mac as head_mac, page.*
             from (values (1)) as always (one)
             left join audit_heads h on h.tenant_id = $1 and h.environment = $2
             left join lateral (${SELECT} and e.seq > $3 order by e.seq limit $4) page on true
             order by page.seq`,
    },
    [realm.tenantId, realm.environment, page.after, page.limit],
  )
  const [first] = rows
  const entries = rows.flatMap((row) => (row.seq === null ? [] : [toEntry(row)]))
  return { entries, head: first === undefined ? null : headOf(first) }
}

interface HeadColumns {
  readonly head_seq: number | null
  readonly head_hash: Buffer
  readonly head_at: string
  readonly head_mac: Buffer | null
}

const headOf = (row: HeadColumns): SealedHead | null =>
  row.head_seq === null ? null : { seq: row.head_seq, hash: row.head_hash, at: row.head_at, mac: row.head_mac }

export async function readEntriesBefore(
  tx: Tx,
  realm: Realm,
  page: { readonly before: number; readonly limit: number },
): Promise<RecordedEntry[]> {
  const rows = await tx.query<Row>(
    { name: 'read_audit_entries_before', text: `${SELECT} and e.seq < $3 order by e.seq desc limit $4` },
    [realm.tenantId, realm.environment, page.before, page.limit],
  )
  return rows.map(toEntry)
}

/** null: the chain has not begun. */
export async function loadAuditHead(tx: Tx, realm: Realm): Promise<SealedHead | null> {
  const [row] = await tx.query<SealedHead>(
    {
      name: 'load_audit_head',
      text: 'select seq, hash, at, mac from audit_heads where tenant_id = $1 and environment = $2',
    },
    [realm.tenantId, realm.environment],
  )
  return row ?? null
}

function toEntry(row: Row): RecordedEntry {
  return {
    seq: row.seq,
    entry: row.bytes.toString('utf8'),
    hash: row.hash.toString('hex'),
    salt: row.salt?.toString('hex') ?? null,
    details: row.details,
  }
}
