// Reads audit chains: in order for export and verification, newest first for pages.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { daysOf, inKnownDays, rangeOf } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { RecordedEntry } from '../domain/export.ts'
import type { HeadWithMac } from '../domain/head-macs.ts'

interface Row {
  seq: number
  bytes: Buffer
  hash: Buffer
  salt: Buffer | null
  details: unknown
}

const SELECT = `select e.seq, e.bytes, e.hash, d.salt, d.details from audit_entries e
  left join audit_details d on d.tenant_id = e.tenant_id and d.environment = e.environment and d.seq = e.seq and d.day in (0, e.day)
  where e.tenant_id = $1 and e.environment = $2`

interface ChainPage {
  readonly entries: readonly RecordedEntry[]
  /** null if the chain has no head. */
  readonly head: HeadWithMac | null
}

/**
 * Reads one page with its details and the head, in one snapshot. So if details are missing, the chain already has the
 * entry that erased them.
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

/** Reads a trail from entry `seq` on, in order. */
export async function* readTrailFrom(tx: Tx, realm: Realm, seq: number): AsyncGenerator<RecordedEntry> {
  for (let after: number | undefined = seq - 1; after !== undefined; ) {
    const page: ChainPage = await readChainAfter(tx, realm, { after, limit: 1_000 })
    yield* page.entries
    after = page.entries.at(-1)?.seq
  }
}

interface HeadColumns {
  readonly head_seq: number | null
  readonly head_hash: Buffer
  readonly head_at: string
  readonly head_mac: Buffer | null
}

const headOf = (row: HeadColumns): HeadWithMac | null =>
  row.head_seq === null ? null : { seq: row.head_seq, hash: row.head_hash, at: row.head_at, mac: row.head_mac }

export interface TrailFilter {
  /** The first part of actions: `key` for `key.created`, `key.revoked`, … In each member, null or absent means all. */
  readonly kind?: string | null
  readonly actorType?: string | null
  readonly actorId?: string | null
  /** Only entries from this time on. */
  readonly from?: Instant | null
}

/** How many entries one page scans if a filter is set. */
const SCANNED_MAX = 2_000

interface Scan {
  readonly scanned: number
  readonly last: number | null
  readonly earliest: string | null
}

interface EntryPage {
  readonly entries: readonly RecordedEntry[]
  /** The cursor of the next page; null if there is none. */
  readonly next: number | null
}

/** Newest first. Scans a limited number of entries. Leaves out the entry numbers of a lapse: they may be many. */
export async function readEntriesBefore(
  tx: Tx,
  realm: Realm,
  page: TrailFilter & { readonly before: number; readonly limit: number },
): Promise<EntryPage> {
  const { kind = null, actorType = null, actorId = null, from = null } = page
  const isFiltered = kind !== null || actorType !== null || actorId !== null || from !== null
  const scannedMax = isFiltered ? SCANNED_MAX : page.limit
  const rows = await tx.query<Scan & (Row | { readonly seq: null })>(
    {
      name: 'read_audit_entries_before',
      text: `with scanned as materialized (
               select e.*, convert_from(e.bytes, 'UTF8')::jsonb as said from audit_entries e
               where e.tenant_id = $1 and e.environment = $2 and e.seq < $3 order by e.seq desc limit $4
             ), found as (
               select e.seq, e.bytes, e.hash, d.salt, d.details - 'entries' as details from scanned e
               left join audit_details d on d.tenant_id = e.tenant_id and d.environment = e.environment and d.seq = e.seq and d.day in (0, e.day)
               where ($6::text is null or split_part(e.said ->> 'action', '.', 1) = $6)
                 and ($7::text is null or e.said #>> '{actor,type}' = $7) and ($8::text is null or e.said #>> '{actor,id}' = $8)
                 and ($9::text is null or e.said ->> 'at' >= $9)
               order by e.seq desc limit $5
             )
             select found.*, (select count(*)::int from scanned) as scanned, (select min(seq) from scanned) as last,
                    (select min(said ->> 'at') from scanned) as earliest
             from (values (1)) as always (one) left join found on true order by found.seq desc`,
    },
    [realm.tenantId, realm.environment, page.before, scannedMax, page.limit, kind, actorType, actorId, from],
  )
  const entries = rows.flatMap((row) => (row.seq === null ? [] : [toEntry(row)]))
  if (entries.length === page.limit) return { entries, next: entries.at(-1)?.seq ?? null }
  const [first] = rows
  const isOver = first === undefined || first.scanned < scannedMax || (from !== null && (first.earliest ?? '') < from)
  return { entries, next: isOver ? null : first.last }
}

/** The bytes of an entry; null if it does not exist. */
export async function loadEntry(tx: Tx, realm: Realm, seq: number): Promise<Buffer | null> {
  const [row] = await tx.query<{ bytes: Buffer }>(
    {
      name: 'load_audit_entry',
      text: 'select bytes from audit_entries where tenant_id = $1 and environment = $2 and seq = $3',
    },
    [realm.tenantId, realm.environment, seq],
  )
  return row?.bytes ?? null
}

/** null if the chain has not begun. */
export async function loadAuditHead(tx: Tx, realm: Realm): Promise<HeadWithMac | null> {
  const [row] = await tx.query<HeadWithMac>(
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

/** Erases the details of erased verifications. Their entries stay, because they have only a hash of the details. */
export async function eraseDetails(tx: Tx, realm: Realm, objectIds: readonly string[]): Promise<void> {
  const { from, to } = rangeOf(daysOf(tx.sealer, objectIds))
  await tx.query(
    {
      name: 'erase_audit_details',
      text: `delete from audit_details
             where tenant_id = $1 and environment = $2 and object_id = any ($3::text[]) and ${inKnownDays('day', { from: '$4', to: '$5' })}`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, objectIds, from, to],
  )
}
