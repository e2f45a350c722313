// Copies the rows of a tenant to another installation, and compares them there.

import { createHash } from 'node:crypto'
import { hasSqlState } from '../../../../platform/postgres/connection.ts'
import type { Db, Tx } from '../../../../platform/postgres/db.ts'
import { MOVED_TABLES } from '../../domain/moved-tables.ts'
import { holdArriving } from '../../store/closings.ts'
import {
  deleteRowsByKey,
  deleteSomeRows,
  keyOf,
  type MovedRow,
  readKeyDigests,
  readKeysOfBuckets,
  readMovedRows,
  readRowsByKey,
  readShape,
  readTransactionMark,
  type TableShape,
  writeMovedRows,
} from '../../store/moved-rows.ts'

/** The tenant cannot be moved, and this installation still serves it. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}

/** How many rows are in memory at once. */
const STEP_ROWS = 500
/** Tables without a key, or with people in it, are small and are replaced as a whole. */
export const WHOLE_ROWS_MAX = 50_000

export interface Copying {
  readonly source: Db
  readonly target: Db
  readonly tenantId: string
  /** Ids of people there, by their id here. */
  readonly people: ReadonlyMap<string, string>
  /** Whether `people` differs from the previous pass. Then all rows that name people are copied and compared. */
  readonly havePeopleChanged?: boolean
}

export interface TableCount {
  readonly table: string
  readonly rows: number
  /** A digest of the compared rows, in the order of their keys. */
  readonly sha256: string
}

export const readShapes = ({ source }: Pick<Copying, 'source'>): Promise<TableShape[]> =>
  Promise.all(MOVED_TABLES.map((moved) => readShape(source, moved)))

/**
 * Copies rows that were written since `since`, or all, and deletes there what is gone here. Returns where the next pass
 * must start. `isClosed`: no process changes the rows any more, so a missing parent row is an error.
 */
export async function copyPass(
  copying: Copying,
  shapes: readonly TableShape[],
  { since, isClosed }: { readonly since: string | null; readonly isClosed: boolean },
): Promise<string> {
  const mark = await readTransactionMark(copying.source)
  for (const shape of shapes.toReversed()) await deleteVanished(copying, shape)
  for (const shape of shapes) {
    if (isReplaced(shape)) await replaceWhole(copying, shape)
    else {
      for await (const rows of changedRows(copying, shape, sinceOf(copying, shape, since)))
        await write(copying, shape, { rows, isClosed })
      const { missing } = await compareKeys(copying, shape)
      for (const keys of portions(missing)) {
        const rows = await readRowsByKey(copying.source, shape, keys)
        await write(copying, shape, { rows: rows.map((row) => toTarget(copying, shape, row)), isClosed })
      }
    }
  }
  return mark
}

/**
 * Describes the differences between both installations. Compares all keys, and the content of rows written since
 * `since`. While the tenant is served, rows that differ are copied again, and count only if they still differ without
 * having changed here.
 */
export async function compareTables(
  copying: Copying,
  shapes: readonly TableShape[],
  { since, isClosed }: { readonly since: string | null; readonly isClosed: boolean },
): Promise<{ readonly problems: readonly string[]; readonly counts: readonly TableCount[] }> {
  const problems: string[] = []
  const counts: TableCount[] = []
  for (const shape of shapes) {
    const { table } = shape.moved
    const compared = isReplaced(shape)
      ? await compareWhole(copying, shape)
      : await compareRows(copying, shape, { since: sinceOf(copying, shape, since), isClosed })
    if (isClosed && compared.here.sha256 !== compared.there.sha256) problems.push(`${table}: the rows differ`)
    if (isClosed && compared.here.rows !== compared.there.rows)
      problems.push(`${table}: ${compared.here.rows} rows here, ${compared.there.rows} there`)
    if (compared.wrong > 0) problems.push(`${table}: ${compared.wrong} rows still differ after they were copied again`)
    counts.push({ table, ...compared.there })
  }
  return { problems, counts }
}

const isReplaced = ({ moved }: TableShape) =>
  moved.key.length === 0 || moved.key.some((name) => moved.people?.includes(name) === true)

const sinceOf = ({ havePeopleChanged }: Copying, { moved }: TableShape, since: string | null) =>
  havePeopleChanged === true && moved.people !== undefined ? null : since

async function* changedRows(copying: Copying, shape: TableShape, since: string | null): AsyncGenerator<MovedRow[]> {
  for (let after: readonly string[] | null = null; ; ) {
    const page = { tenantId: copying.tenantId, after, since, rowsMax: STEP_ROWS }
    const rows: MovedRow[] = await readMovedRows(copying.source, shape, page)
    yield rows.map((row) => toTarget(copying, shape, row))
    const last = rows.at(-1)
    if (last === undefined || rows.length < STEP_ROWS) return
    after = shape.moved.key.map((name) => last[name] ?? '')
  }
}

/** Changes rows there, but never those of a tenant that was opened there. */
export const changeThere = (
  { target, tenantId }: Pick<Copying, 'target' | 'tenantId'>,
  work: (tx: Tx) => Promise<void>,
): Promise<void> =>
  target.transaction(async (tx) => {
    if (!(await holdArriving(tx, tenantId))) throw new MoveRefused('the other installation serves the tenant already')
    await work(tx)
  })

async function write(
  copying: Copying,
  shape: TableShape,
  { rows, isClosed }: { readonly rows: readonly MovedRow[]; readonly isClosed: boolean },
): Promise<void> {
  if (rows.length === 0) return
  try {
    await changeThere(copying, (tx) => writeMovedRows(tx, shape, rows))
  } catch (error) {
    // The parent row was written after its table was copied. The comparison of keys finds these rows again.
    if (isClosed || !hasSqlState(error, FOREIGN_KEY)) throw error
  }
}

const FOREIGN_KEY = '23503'

async function deleteVanished(copying: Copying, shape: TableShape): Promise<void> {
  if (isReplaced(shape) || shape.moved.isAppendOnly === true) return
  const { extra } = await compareKeys(copying, shape)
  for (const rows of portions(extra.map((key) => ({ ...key, tenant_id: copying.tenantId }))))
    await changeThere(copying, (tx) => deleteRowsByKey(tx, shape, rows))
}

/** The keys that only one of the installations has. */
async function compareKeys({ source, target, tenantId }: Copying, shape: TableShape) {
  const [here, there] = await Promise.all([
    readKeyDigests(source, shape, tenantId),
    readKeyDigests(target, shape, tenantId),
  ])
  const textOf = ({ rows, digest }: { rows: number; digest: string }) => `${rows} ${digest}`
  const [ours, theirs] = [here, there].map((all) => new Map(all.map((one) => [one.bucket, textOf(one)])))
  const buckets = [...new Set([...here, ...there].map(({ bucket }) => bucket))].filter(
    (bucket) => ours?.get(bucket) !== theirs?.get(bucket),
  )
  if (buckets.length === 0) return { missing: [], extra: [] }
  const [ourKeys, theirKeys] = await Promise.all([
    readKeysOfBuckets(source, shape, { tenantId, buckets }),
    readKeysOfBuckets(target, shape, { tenantId, buckets }),
  ])
  const [inOurs, inTheirs] = [ourKeys, theirKeys].map((keys) => new Set(keys.map((key) => keyOf(shape, key))))
  return {
    missing: ourKeys
      .filter((key) => inTheirs?.has(keyOf(shape, key)) !== true)
      .map((key) => ({ ...key, tenant_id: tenantId })),
    extra: theirKeys.filter((key) => inOurs?.has(keyOf(shape, key)) !== true),
  }
}

async function replaceWhole(copying: Copying, shape: TableShape): Promise<void> {
  const rows = await readWhole(copying, shape)
  await changeThere(copying, async (tx) => {
    await deleteSomeRows(tx, shape.moved.table, copying.tenantId, WHOLE_ROWS_MAX)
    for (const some of portions(rows)) await writeMovedRows(tx, shape, some)
  })
}

async function readWhole(copying: Copying, shape: TableShape): Promise<MovedRow[]> {
  const page = { tenantId: copying.tenantId, after: null, since: null, rowsMax: WHOLE_ROWS_MAX }
  const rows = await readMovedRows(copying.source, shape, page)
  if (rows.length === WHOLE_ROWS_MAX) throw new Error(`${shape.moved.table} has more rows than can be replaced at once`)
  // Leaves out members whose account stays behind.
  return rows.filter((row) => hasPeople(copying, shape, row)).map((row) => toTarget(copying, shape, row))
}

interface Compared {
  readonly here: Omit<TableCount, 'table'>
  readonly there: Omit<TableCount, 'table'>
  /** How many rows still differ after they were copied again, although they did not change here. */
  readonly wrong: number
}

async function compareWhole(copying: Copying, shape: TableShape): Promise<Compared> {
  const page = { tenantId: copying.tenantId, after: null, since: null, rowsMax: WHOLE_ROWS_MAX }
  const [here, there] = [await readWhole(copying, shape), await readMovedRows(copying.target, shape, page)]
  const summed = (rows: readonly MovedRow[]) => {
    const hash = createHash('sha256')
    for (const text of rows.map((row) => canonicalRow(shape, row)).sort()) hash.update(text)
    return { rows: rows.length, sha256: hash.digest('hex') }
  }
  return { here: summed(here), there: summed(there), wrong: 0 }
}

/** Compares all keys by their digests, and the content of rows written since `since`. */
async function compareRows(
  copying: Copying,
  shape: TableShape,
  { since, isClosed }: { readonly since: string | null; readonly isClosed: boolean },
): Promise<Compared> {
  const { tenantId } = copying
  let wrong = 0
  const [here, there] = [createHash('sha256'), createHash('sha256')]
  for await (const rows of changedRows(copying, shape, since)) {
    const found = await readRowsByKey(copying.target, shape, rows)
    const byKey = new Map(found.map((row) => [keyOf(shape, row), canonicalRow(shape, row)]))
    for (const row of rows) {
      here.update(canonicalRow(shape, row))
      there.update(byKey.get(keyOf(shape, row)) ?? '')
    }
    // Missing rows are found by the comparison of keys.
    const hasChanged = (copy: string | undefined, row: MovedRow) =>
      copy !== undefined && copy !== canonicalRow(shape, row)
    const different = rows.filter((row) => hasChanged(byKey.get(keyOf(shape, row)), row))
    if (!isClosed) wrong += await repeatRows(copying, shape, different)
  }
  const [ourKeys, theirKeys] = await Promise.all([
    readKeyDigests(copying.source, shape, tenantId),
    readKeyDigests(copying.target, shape, tenantId),
  ])
  const rowsOf = (digests: readonly { readonly rows: number }[]) => digests.reduce((all, { rows }) => all + rows, 0)
  here.update(JSON.stringify(ourKeys))
  there.update(JSON.stringify(theirKeys))
  return {
    here: { rows: rowsOf(ourKeys), sha256: here.digest('hex') },
    there: { rows: rowsOf(theirKeys), sha256: there.digest('hex') },
    wrong,
  }
}

/**
 * Copies rows again. Returns how many still differ although they did not change here. Rows that changed are compared
 * during the stop.
 */
async function repeatRows(copying: Copying, shape: TableShape, keys: readonly MovedRow[]): Promise<number> {
  const readHere = async () =>
    (await readRowsByKey(copying.source, shape, keys)).map((row) => toTarget(copying, shape, row))
  const textsOf = (rows: readonly MovedRow[]) =>
    new Map(rows.map((row) => [keyOf(shape, row), canonicalRow(shape, row)] as const))
  const rows = await readHere()
  await write(copying, shape, { rows, isClosed: false })
  const there = textsOf(await readRowsByKey(copying.target, shape, keys))
  const after = textsOf(await readHere())
  return [...textsOf(rows)].filter(([key, text]) => after.get(key) === text && there.get(key) !== text).length
}

/** Leaves out columns that each installation sets itself. */
function canonicalRow({ columns, moved, sealed }: TableShape, row: MovedRow): string {
  const isOwn = (name: string) =>
    Object.hasOwn(moved.own ?? {}, name) || name === 'nth' || sealed.some(({ derived }) => derived?.column === name)
  return JSON.stringify(columns.filter(({ name }) => !isOwn(name)).map(({ name }) => row[name]))
}

function toTarget({ people }: Copying, { moved }: TableShape, row: MovedRow): MovedRow {
  const mapped = (moved.people ?? []).map((name) => {
    const id = row[name]
    return [name, id == null ? null : (people.get(id) ?? (moved.keepsStrangers === true ? id : null))] as const
  })
  return mapped.length === 0 ? row : { ...row, ...Object.fromEntries(mapped) }
}

const hasPeople = ({ people }: Copying, { moved }: TableShape, row: MovedRow) =>
  (moved.people ?? []).filter((name) => moved.key.includes(name)).every((name) => people.has(row[name] ?? ''))

function* portions<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += STEP_ROWS) yield rows.slice(at, at + STEP_ROWS)
}
