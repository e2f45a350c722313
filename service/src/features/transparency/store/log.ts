// Stores the log: one head, whose row the single writer locks, and tiles that only grow.

import type { Queries, Tx } from '../../../platform/postgres/db.ts'
import { type Instant, instantOf, millisecondsOf } from '../../../platform/world.ts'
import type { BatchState } from '../domain/log/batch.ts'
import { keyOfTile, type TileName } from '../domain/log/tiles.ts'

/** The level that stores the leaves themselves. */
export const ENTRIES_LEVEL = -1

export interface StoredLog {
  readonly size: number
  /** null: the log has not signed anything yet; then `note` is null too. */
  readonly origin: string | null
  readonly note: string | null
  /** Lines with the witnesses' cosignatures on `note`. */
  readonly cosignatures: string
  readonly signedAt: Instant | null
  /** Why the log is halted. */
  readonly halted: string | null
  /** The newest cosigned note with its cosignatures; null: none yet. */
  readonly witnessedNote: string | null
  /** Why the store must not serve until it is checked; null: the store may serve. */
  readonly setBack: string | null
  /** The checkpoint that was seen by the process which detected the restore; null: none is known, or a new epoch is open. */
  readonly setBackNote: string | null
  /** The last check of the store knew of witnesses' claims up to this size; null: it knew of none. */
  readonly acknowledgedTo: number | null
}

/** Columns that only the writer needs. */
export interface LockedLog extends StoredLog {
  /** How many audit trails have entered the log under a blinded name. */
  readonly entrances: number
  readonly batch: BatchState
}

const HEAD = `size, origin, note, cosignatures, signed_at as "signedAt", halted, witnessed_note as "witnessedNote",
              set_back as "setBack", set_back_note as "setBackNote", acknowledged_to as "acknowledgedTo"`
const BATCH = 'batch_size as "batchSize", batch_until as "batchUntil", padded_until as "paddedUntil"'

export async function loadLog(tx: Tx): Promise<StoredLog> {
  return requireLog(await tx.query<StoredLog>({ name: 'load_log_head', text: `select ${HEAD} from log_heads` }))
}

type LockedRow = StoredLog & {
  readonly entrances: number
  readonly batchSize: number
  readonly batchUntil: Instant | null
  readonly paddedUntil: Instant | null
}

/** Blocks other writers until the transaction ends. */
export async function lockLog(tx: Tx): Promise<LockedLog> {
  const text = `select ${HEAD}, entrances, ${BATCH} from log_heads for update`
  const { batchSize, batchUntil, paddedUntil, ...head } = requireLog(
    await tx.query<LockedRow>({ name: 'lock_log_head', text }),
  )
  const batch = { keptSize: batchSize, keptUntil: timeOf(batchUntil), paddedUntil: timeOf(paddedUntil) }
  return { ...head, batch }
}

/** 0 instead of null, which means "never". */
const timeOf = (at: Instant | null) => (at === null ? 0 : millisecondsOf(at))

function requireLog<T extends StoredLog>([row]: readonly T[]): T {
  if (row === undefined) throw new Error('the table log_heads has no row: restore it from a backup')
  return row
}

export async function saveLog(
  tx: Tx,
  head: {
    readonly size: number
    readonly origin: string
    readonly note: string
    readonly at: Instant
    /** Whether every intact audit trail is in the log, so nothing waits. */
    readonly isComplete: boolean
    readonly entrances: number
    readonly batch: BatchState
  },
): Promise<void> {
  const { keptSize, keptUntil, paddedUntil } = head.batch
  await tx.query(
    {
      name: 'save_log_head',
      text: `update log_heads set size = $1, origin = $2, note = $3, signed_at = $4, cosignatures = '',
               complete_at = case when $5 then $4 else complete_at end, entrances = $6,
               batch_size = $7, batch_until = $8, padded_until = $9`,
    },
    [
      ...[head.size, head.origin, head.note, head.at, head.isComplete, head.entrances],
      ...[keptSize, instantOf(keptUntil), instantOf(paddedUntil)],
    ],
  )
}

/** Does nothing if the log has a newer note than the cosigned one. */
export async function saveCosignatures(tx: Tx, note: string, lines: string): Promise<void> {
  const text = 'update log_heads set cosignatures = $2, witnessed_note = $1 || $2 where note = $1'
  await tx.query({ name: 'save_cosignatures', text }, [note, lines])
}

/** Halts the log. The first reason stays. */
export async function haltLog(tx: Tx, why: string): Promise<void> {
  await tx.query({ name: 'halt_log', text: 'update log_heads set halted = coalesce(halted, $1)' }, [why])
}

/** Counts a run of the log's job that found the log halted. */
export async function countHaltedRun(tx: Tx): Promise<void> {
  await tx.query({ name: 'count_halted_run', text: 'update log_heads set halted_runs = halted_runs + 1' })
}

/** Maps `keyOfTile` to the bytes of each tile. Missing tiles are left out. */
export async function loadTiles(tx: Queries, tiles: readonly TileName[]): Promise<Map<string, Buffer>> {
  if (tiles.length === 0) return new Map()
  const rows = await tx.query<TileName & { bytes: Buffer }>(
    {
      name: 'load_log_tiles',
      text: `select t.level, t.index, t.bytes from unnest($1::integer[], $2::bigint[]) as g (level, index)
             join log_tiles t on t.level = g.level and t.index = g.index`,
    },
    [tiles.map(({ level }) => level), tiles.map(({ index }) => index)],
  )
  return new Map(rows.map((row) => [keyOfTile(row), row.bytes]))
}

export async function saveTiles(tx: Tx, tiles: readonly (TileName & { readonly bytes: Uint8Array })[]): Promise<void> {
  await tx.query(
    {
      name: 'save_log_tiles',
      text: `insert into log_tiles (level, index, bytes) select * from unnest($1::integer[], $2::bigint[], $3::bytea[])
             on conflict (level, index) do update set bytes = excluded.bytes`,
    },
    [tiles.map(({ level }) => level), tiles.map(({ index }) => index), tiles.map(({ bytes }) => bytes)],
  )
}

/** Whether the log has a checkpoint, or ever had leaves. */
export async function isLogSigned(tx: Tx): Promise<boolean> {
  const { size, note } = await lockLog(tx)
  return size > 0 || note !== null
}
