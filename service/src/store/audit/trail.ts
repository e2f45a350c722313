// Reads audit chains: in their order for export and verification, newest first for people.

import type { AuditHead } from '../../domain/audit/entry.ts'
import type { RecordedEntry } from '../../domain/audit/export.ts'
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

/** Entries and details of one page are of one moment: where details are missing, their erasure is in the chain already. */
export async function readEntriesAfter(
  tx: Tx,
  realm: Realm,
  page: { readonly after: number; readonly limit: number },
): Promise<RecordedEntry[]> {
  const rows = await tx.query<Row>(
    { name: 'read_audit_entries_after', text: `${SELECT} and e.seq > $3 order by e.seq limit $4` },
    [realm.tenantId, realm.environment, page.after, page.limit],
  )
  return rows.map(toEntry)
}

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
export async function loadAuditHead(tx: Tx, realm: Realm): Promise<AuditHead | null> {
  const [row] = await tx.query<AuditHead>(
    {
      name: 'load_audit_head',
      text: 'select seq, hash, at from audit_heads where tenant_id = $1 and environment = $2',
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
