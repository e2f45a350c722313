// Counts what one database wrote, from PostgreSQL's write-ahead log, because its statistics are late and have no index entries.

import pg from 'pg'
import type { Connection } from '../../../service/src/platform/postgres/connection.ts'

/** What was written to the service's tables and their out-of-line values. The catalogue is not counted. */
export interface Written {
  /** Transactions that wrote. */
  readonly commits: number
  readonly inserts: number
  readonly hotUpdates: number
  /** Updates that add an entry to every index of their table, unless the index's predicate excludes the row. */
  readonly otherUpdates: number
  readonly deletes: number
  readonly indexEntries: number
  /** Everything that the database wrote, without the copies of whole pages that follow a checkpoint. */
  readonly walBytes: number
  readonly walRecords: number
}

/** The writes to one table, with its indexes and its values stored out of line. */
export interface WrittenTable extends Omit<Written, 'commits'> {
  readonly table: string
}

export interface WalReader {
  /** Runs `work` and returns what was written during it. */
  during(work: () => Promise<void>): Promise<Written>
  /** Log bytes of each table that was written to. Records without a table (commits) are left out. */
  tablesDuring(work: () => Promise<void>): Promise<readonly WrittenTable[]>
  close(): Promise<void>
}

/** A slot keeps the log, because a checkpoint would remove the unread part. It is deleted with the connection. */
const KEEP = 'select pg_create_physical_replication_slot($1, true, true)'
/** A commit flushes everything before it. */
const FLUSH = `select pg_logical_emit_message(true, 'bench', '')`
const POSITION = 'select pg_current_wal_insert_lsn()::text as lsn'

// A page split adds the entry that did not fit, and one in the page above, which is not a leaf.
const BLOCKS = `
  with blocks as materialized (
    select b.*, c.oid as relation, c.relkind, c.relnamespace::regnamespace::text as schema
    from pg_get_wal_block_info($1, $2, false) b
    left join pg_class c on c.oid = pg_filenode_relation(b.reltablespace, b.relfilenode)
    where b.reldatabase = (select oid from pg_database where datname = current_database()))`
const COUNT = `${BLOCKS},
  xids as (select distinct xid from blocks where xid <> '0'),
  records as (
    select r.* from pg_get_wal_records_info($1, $2) r
    where r.xid in (select xid from xids) or r.start_lsn in (select start_lsn from blocks)),
  counted as (
    select resource_manager || ' ' || replace(record_type, '+INIT', '') as type, count(*) as n from blocks
    where block_id = 0 and schema in (current_schema(), 'pg_toast') group by 1)
  select
    (select count(*) from records where resource_manager = 'Transaction' and record_type like 'COMMIT%')::int as commits,
    (select coalesce(sum(n), 0) from counted where type = 'Heap INSERT')::int
      + (select coalesce(sum((regexp_match(description, 'ntuples: (\\d+)'))[1]::int), 0) from blocks
         where block_id = 0 and resource_manager = 'Heap2' and record_type like 'MULTI_INSERT%' and schema in (current_schema(), 'pg_toast'))::int as inserts,
    (select coalesce(sum(n), 0) from counted where type = 'Heap HOT_UPDATE')::int as "hotUpdates",
    (select coalesce(sum(n), 0) from counted where type = 'Heap UPDATE')::int as "otherUpdates",
    (select coalesce(sum(n), 0) from counted where type = 'Heap DELETE')::int as deletes,
    (select coalesce(sum(n), 0) from counted where type in ('Btree INSERT_LEAF', 'Btree INSERT_POST'))::int
      + (select count(*) from blocks where block_id = 0 and resource_manager = 'Btree' and record_type like 'SPLIT%' and description like 'level: 0%'
         and schema in (current_schema(), 'pg_toast'))::int as "indexEntries",
    (select coalesce(sum(record_length - fpi_length), 0) from records)::int as "walBytes",
    (select count(*) from records)::int as "walRecords"`

// The bytes of a record count for the relation of its first block. A partition counts for its table: its name ends with its day.
const BY_TABLE = `${BLOCKS},
  owned as (
    select b.*, regexp_replace(coalesce(t.relname, i.relname, c.relname), '_\\d{5}$', '') as table, b.resource_manager || ' ' || replace(b.record_type, '+INIT', '') as type
    from blocks b join pg_class c on c.oid = b.relation
    left join pg_index x on x.indexrelid = c.oid left join pg_class i on i.oid = x.indrelid
    left join pg_class t on t.reltoastrelid = coalesce(i.oid, c.oid)
    where b.block_id = 0 and b.schema in (current_schema(), 'pg_toast')),
  lengths as (select start_lsn, record_length - fpi_length as bytes from pg_get_wal_records_info($1, $2))
  select o.table,
    (count(*) filter (where type = 'Heap INSERT'))::int
      + coalesce(sum((regexp_match(description, 'ntuples: (\\d+)'))[1]::int) filter (where type like 'Heap2 MULTI_INSERT%'), 0)::int as inserts,
    (count(*) filter (where type = 'Heap HOT_UPDATE'))::int as "hotUpdates",
    (count(*) filter (where type = 'Heap UPDATE'))::int as "otherUpdates",
    (count(*) filter (where type = 'Heap DELETE'))::int as deletes,
    (count(*) filter (where type in ('Btree INSERT_LEAF', 'Btree INSERT_POST') or type like 'Btree SPLIT%' and description like 'level: 0%'))::int as "indexEntries",
    sum(l.bytes)::int as "walBytes", count(*)::int as "walRecords"
  from owned o join lengths l on l.start_lsn = o.start_lsn group by 1 order by "walBytes" desc`

export async function openWalReader(admin: Connection, database: string): Promise<WalReader> {
  if (!('socketDir' in admin)) throw new Error('bug: the embedded server has a socket')
  const { socketDir, user } = admin
  const client = new pg.Client({ host: socketDir, port: 5432, user, database, password: '', ssl: false })
  await client.connect()
  await client.query('create extension if not exists pg_walinspect')
  await client.query('set search_path = public')
  const rows = async <R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> =>
    (await client.query<R>(text, [...values])).rows
  const query = async <R extends object>(text: string, values?: readonly unknown[]): Promise<R | undefined> =>
    (await rows<R>(text, values))[0]
  const position = async () => (await query<{ lsn: string }>(POSITION))?.lsn
  const slot = `bench_${process.pid}`
  async function readDuring<R extends object>(work: () => Promise<void>, text: string): Promise<R[]> {
    await query(KEEP, [slot])
    const from = await position()
    await work()
    await query(FLUSH)
    const written = await rows<R>(text, [from, await position()])
    await query('select pg_drop_replication_slot($1)', [slot])
    return written
  }
  return {
    async during(work) {
      const [written] = await readDuring<Written>(work, COUNT)
      if (written === undefined) throw new Error('bug: a select without from gave no row')
      return written
    },
    tablesDuring: (work) => readDuring<WrittenTable>(work, BY_TABLE),
    close: () => client.end(),
  }
}
