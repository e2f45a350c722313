// Reads and writes the rows of one tenant, table by table, for its move. Decrypts and reseals sealed values.

import type { Queries, Tx } from '../../../platform/postgres/db.ts'
import type { SealedColumn, SealedRowFacts } from '../../../platform/seal/sealed-column.ts'
import type { MovedTable } from '../domain/moved-tables.ts'
import { SEALED_COLUMNS } from '../domain/sealed-columns.ts'

/** Values by column, in PostgreSQL's text form. Sealed values are decrypted, and only in memory. */
export type MovedRow = Readonly<Record<string, string | null>>

export interface Column {
  readonly name: string
  readonly type: string
}

export interface TableShape {
  readonly moved: MovedTable
  readonly columns: readonly Column[]
  readonly sealed: readonly SealedColumn[]
}

/** The columns from the schema, which is the same in both installations. */
export async function readShape(tx: Queries, moved: MovedTable): Promise<TableShape> {
  const columns = await tx.query<Column>(
    {
      name: 'move_read_columns',
      text: `select a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type from pg_attribute a
             where a.attrelid = $1::text::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    },
    [moved.table],
  )
  return { moved, columns, sealed: SEALED_COLUMNS.filter(({ table }) => table === moved.table) }
}

/** Returns a transaction id before which all transactions have ended, so that their rows are visible. */
export async function readTransactionMark(tx: Queries): Promise<string> {
  const [row] = await tx.query<{ mark: string }>({
    name: 'move_read_mark',
    text: 'select pg_snapshot_xmin(pg_current_snapshot())::text as mark',
  })
  if (row === undefined) throw new Error('bug: a snapshot without a row')
  return row.mark
}

export interface Page {
  readonly tenantId: string
  /** The key of the last row of the previous page; null: from the beginning. */
  readonly after: readonly string[] | null
  /** Only rows that were written by this transaction or later ones; null: all. */
  readonly since: string | null
  readonly rowsMax: number
}

/** Reads rows in the order of their keys. */
export async function readMovedRows(tx: Tx, shape: TableShape, page: Page): Promise<MovedRow[]> {
  const { table, key } = shape.moved
  const values: unknown[] = [page.tenantId, page.rowsMax]
  const conditions = [`t.tenant_id = $1`]
  if (page.since !== null) conditions.push(`age(t.xmin) <= age($${values.push(page.since)}::text::xid8::xid)`)
  if (page.after !== null) {
    const bounds = page.after.map((value, at) => `$${values.push(value)}::text::${typeOf(shape, key[at] ?? '')}`)
    conditions.push(`(${key.map((name) => `t.${name}`).join(', ')}) > (${bounds.join(', ')})`)
  }
  const order = key.length === 0 ? '' : `order by ${key.map((name) => `t.${name}`).join(', ')}`
  const rows = await tx.query<Record<string, string | null>>(
    {
      name: `move_read_${table}_${page.since === null ? 'all' : 'new'}_${page.after === null ? 'first' : 'next'}`,
      text: `select ${shape.columns.map(({ name }) => `t.${name}::text as ${name}`).join(', ')} from ${table} t
             where ${conditions.join(' and ')} ${order} limit $2`,
      replanEachCall: true,
    },
    values,
  )
  return rows.map((row) => openRow(tx, shape, row))
}

/** Reads the rows with these keys that exist, in any order. */
export async function readRowsByKey(tx: Tx, shape: TableShape, keyed: readonly MovedRow[]): Promise<MovedRow[]> {
  const { table, key } = shape.moved
  const [first] = keyed
  if (first === undefined) return []
  const rows = await tx.query<Record<string, string | null>>(
    {
      name: `move_find_${table}`,
      text: `select ${shape.columns.map(({ name }) => `t.${name}::text as ${name}`).join(', ')}
             from unnest(${key.map((_, at) => `$${at + 2}::text[]`).join(', ')}) as g (${key.join(', ')})
             join ${table} t on ${key.map((name) => `t.${name} = g.${name}::${typeOf(shape, name)}`).join(' and ')}
             where t.tenant_id = $1`,
      replanEachCall: true,
    },
    [first.tenant_id, ...key.map((name) => keyed.map((row) => row[name]))],
  )
  return rows.map((row) => openRow(tx, shape, row))
}

/**
 * Inserts rows, or replaces the tenant's rows with the same key. Skips a row if another tenant has its key or secret:
 * the comparison then finds the difference.
 */
export async function writeMovedRows(tx: Tx, shape: TableShape, rows: readonly MovedRow[]): Promise<void> {
  if (rows.length === 0) return
  const { moved, columns } = shape
  const sealed = rows.map((row) => sealRow(tx, shape, row))
  const names = columns.map(({ name }) => name)
  const changed = names.filter((name) => !moved.key.includes(name) && !isNumbered(moved, name))
  const update =
    moved.isAppendOnly === true || changed.length === 0
      ? 'do nothing'
      : `do update set ${changed.map((name) => `${name} = excluded.${name}`).join(', ')}
         where moved.tenant_id = excluded.tenant_id`
  const ofOthers = (moved.secrets ?? []).map(
    (name) =>
      `not exists (select from ${moved.table} o where o.tenant_id <> g.tenant_id and o.${name} = g.${name}::${typeOf(shape, name)})`,
  )
  const conflict = moved.key.length === 0 ? '' : `on conflict (${moved.key.join(', ')}) ${update}`
  await tx.query(
    {
      name: `move_write_${moved.table}`,
      text: `insert into ${moved.partition ?? moved.table} as moved (${names.join(', ')}) overriding system value
             select ${columns.map(({ name, type }) => `g.${name}::${type}`).join(', ')}
             from unnest(${names.map((_, at) => `$${at + 1}::text[]`).join(', ')}) as g (${names.join(', ')})
             ${ofOthers.length === 0 ? '' : `where ${ofOthers.join(' and ')}`}
             ${conflict}`,
      replanEachCall: true,
    },
    names.map((name) => sealed.map((row) => row[name] ?? null)),
  )
}

export async function deleteRowsByKey(tx: Tx, shape: TableShape, rows: readonly MovedRow[]): Promise<void> {
  const { table, key } = shape.moved
  const [first] = rows
  if (first === undefined) return
  await tx.query(
    {
      name: `move_delete_${table}`,
      text: `delete from ${table} t
             using unnest(${key.map((_, at) => `$${at + 2}::text[]`).join(', ')}) as g (${key.join(', ')})
             where ${key.map((name) => `t.${name} = g.${name}::${typeOf(shape, name)}`).join(' and ')} and t.tenant_id = $1`,
      replanEachCall: true,
    },
    [first.tenant_id, ...key.map((name) => rows.map((row) => row[name]))],
  )
}

/** Returns how many rows it deleted, at most `rowsMax`. A `ctid` identifies a row only within its partition. */
export async function deleteSomeRows(tx: Tx, table: string, tenantId: string, rowsMax: number): Promise<number> {
  const rows = await tx.query(
    {
      name: `move_clear_${table}`,
      text: `delete from ${table} t
             using (select c.tableoid as part, c.ctid as place from ${table} c where c.tenant_id = $1 limit $2) s
             where t.tenant_id = $1 and t.tableoid = s.part and t.ctid = s.place returning 1`,
      replanEachCall: true,
    },
    [tenantId, rowsMax],
  )
  return rows.length
}

export interface KeyDigest {
  readonly bucket: number
  readonly rows: number
  readonly digest: string
}

/** The number of buckets for a table's keys. Only the buckets that differ are searched for differences. */
const BUCKETS = 1_024

/** Counts and digests of a table's keys by bucket, without loading the rows. */
export async function readKeyDigests(tx: Queries, shape: TableShape, tenantId: string): Promise<KeyDigest[]> {
  const { table } = shape.moved
  return tx.query<KeyDigest>(
    {
      name: `move_digest_${table}`,
      text: `select (k.h & ${BUCKETS - 1})::int as bucket, count(*)::int as rows, sum(k.h::numeric)::text as digest
             from (select hashtextextended(${keyText(shape, 't')}, 0) as h from ${table} t where t.tenant_id = $1) k
             group by 1 order by 1`,
      replanEachCall: true,
    },
    [tenantId],
  )
}

/** The keys of some buckets, as rows with only their key. */
export async function readKeysOfBuckets(
  tx: Queries,
  shape: TableShape,
  { tenantId, buckets }: { readonly tenantId: string; readonly buckets: readonly number[] },
): Promise<MovedRow[]> {
  const { table, key } = shape.moved
  return tx.query<Record<string, string>>(
    {
      name: `move_keys_${table}`,
      text: `select ${key.map((name) => `t.${name}::text as ${name}`).join(', ')} from ${table} t
             where t.tenant_id = $1 and (hashtextextended(${keyText(shape, 't')}, 0) & ${BUCKETS - 1})::int = any ($2::int[])`,
      replanEachCall: true,
    },
    [tenantId, buckets],
  )
}

const keyText = ({ moved }: TableShape, alias: string) =>
  moved.key.map((name) => `${alias}.${name}::text`).join(` || '|' || `)

export const keyOf = ({ moved }: TableShape, row: MovedRow) => moved.key.map((name) => row[name] ?? '').join('|')

function typeOf({ columns, moved }: TableShape, name: string): string {
  const column = columns.find((one) => one.name === name)
  if (column === undefined) throw new Error(`bug: ${moved.table} has no column ${name}`)
  return column.type
}

/** An identity column cannot be updated. */
const isNumbered = ({ table }: MovedTable, name: string) => table === 'webhook_old_secrets' && name === 'nth'

function openRow(tx: Tx, { sealed }: TableShape, row: MovedRow): MovedRow {
  const opened = { ...row }
  for (const column of sealed) {
    const value = bytesOf(row[column.column])
    if (value === null) continue
    const prefix = value.subarray(0, column.prefixBytes)
    const plain = tx.sealer.open(value.subarray(column.prefixBytes), column.sealContext(factsOf(row), prefix))
    opened[column.column] = hexOf(Buffer.concat([prefix, plain]))
  }
  return opened
}

function sealRow(tx: Tx, { sealed, moved }: TableShape, row: MovedRow): MovedRow {
  const done: Record<string, string | null> = { ...row, ...moved.own }
  for (const column of sealed) {
    const value = bytesOf(row[column.column])
    if (value === null) continue
    const prefix = value.subarray(0, column.prefixBytes)
    const plain = Buffer.from(value.subarray(column.prefixBytes))
    done[column.column] = hexOf(
      Buffer.concat([prefix, tx.sealer.seal(plain, column.sealContext(factsOf(row), prefix))]),
    )
    if (column.derived === null) continue
    const derived = column.derived.make(tx.sealer, factsOf(row), plain)
    done[column.derived.column] = derived === null ? null : hexOf(derived)
  }
  return done
}

const factsOf = (row: MovedRow): SealedRowFacts => row
const bytesOf = (text: string | null | undefined) => (text == null ? null : Buffer.from(text.slice(2), 'hex'))
const hexOf = (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`
