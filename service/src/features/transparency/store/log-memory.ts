// Remembers the newest log that this process has seen. Refuses a store whose log lost or changed leaves, or that is from before its last restore check.

import type { ClientBase, Queries } from '../../../platform/postgres/db.ts'
import { readNote } from '../../../platform/signed-note.ts'
import { StoreRefused } from '../../../platform/store-unavailable.ts'
import type { Instant } from '../../../platform/world.ts'
import { readTreeHead } from '../domain/log/checkpoint.ts'
import { compareLog, type LogInStore, type SeenLog, type SetBack } from '../domain/log/seen-log.ts'
import { hashOfLeaves, keyOfTile, TileIncomplete, tilesOfRanges } from '../domain/log/tiles.ts'
import { loadTiles } from './log.ts'

export interface LogMemory {
  /** Checks a new connection. Throws a StoreRefused. */
  admit(client: ClientBase): Promise<void>
  /** Checks the store again. If the log has grown, also checks that its first leaves are unchanged. */
  check(tx: Queries): Promise<void>
  seen(): SeenLog | null
}

export const CHECK_RESTORE =
  'if a backup was restored, run `vidimus restore check`; otherwise connect to the store that has the complete log (docs/operating.md, "Backup and restore")'

/** `known` is what an earlier process has seen. It is ignored for a store with another id. */
export function createLogMemory(known: SeenLog | null): LogMemory {
  let seen = known
  let isOwn = false

  /** Throws if the store's log contradicts the log seen before. If calls run concurrently, keeps the newest log. */
  async function compare(tx: Queries): Promise<void> {
    // `seen` can change while this waits, because other connections compare at the same time.
    const remembered = seen
    const store = await loadLogInStore(tx)
    const before = !isOwn && remembered?.storeId !== store.storeId ? null : remembered
    if (store.setBack !== null) throw refusedFor(store.setBack)
    const compared = before === null ? null : compareLog(before, store)
    if (compared?.outcome === 'set_back') {
      await markSetBack(tx, compared)
      throw refusedFor(compared.why)
    }
    isOwn = true
    const isNewest = seen === null || (store.size >= seen.size && store.haltedRuns >= seen.haltedRuns)
    if (seen === remembered || isNewest) seen = asSeen(store)
  }

  return {
    admit: (client) => compare(overClient(client)),
    async check(tx) {
      const before = seen
      await compare(tx)
      const now = seen
      if (before === null || now === null || before.checkedAt !== now.checkedAt || before.size === now.size) return
      if ((await rootAt(tx, before.size)) === before.root || before.size === 0) return
      const why = `the first ${before.size} leaves of the log differ from those that were seen before: the store was forked`
      seen = before
      await markSetBack(tx, { why, from: before.size, haltedRuns: before.haltedRuns, note: before.note })
      throw refusedFor(why)
    },
    seen: () => seen,
  }
}

const refusedFor = (why: string) => new StoreRefused('set_back', why, CHECK_RESTORE)

const asSeen = ({ storeId, size, haltedRuns, root, checkedAt, note }: LogInStore): SeenLog => ({
  storeId,
  size,
  haltedRuns,
  root,
  checkedAt,
  note,
})

export async function loadLogInStore(tx: Queries): Promise<LogInStore> {
  const [row] = await tx.query<Omit<LogInStore, 'root'>>({
    name: 'load_log_in_store',
    text: `select store_id as "storeId", size, halted_runs as "haltedRuns", note, checked_at as "checkedAt", set_back as "setBack",
                  restored_from as "restoredFrom" from log_heads`,
  })
  if (row === undefined) throw refusedFor('the table log_heads has no row')
  const note = row.note === null ? null : readNote(row.note)
  const head = note === null ? null : readTreeHead(note)
  return { ...row, root: head?.root.toString('base64') ?? null }
}

/** Halts the log, because it must not sign anything more. The first reason stays. */
export async function markSetBack(tx: Queries, { why, from, haltedRuns, note }: SetBack): Promise<void> {
  await tx.query(
    {
      name: 'mark_set_back',
      // Keeps the note of the largest checkpoint.
      text: `update log_heads set set_back = coalesce(set_back, $1), halted = coalesce(halted, $1),
               set_back_note = case when $3::text is null or (set_back_note is not null and $2::bigint < set_back_from)
                 then set_back_note else $3 end,
               set_back_from = greatest(set_back_from, $2::bigint), halted_runs = greatest(halted_runs, $4::bigint)`,
    },
    [why, from, note, haltedRuns],
  )
}

/** Records the highest known number of leaves and halt count, and lifts the refusal of this store. */
export async function markChecked(
  tx: Queries,
  { at, from, haltedRuns }: { readonly at: Instant; readonly from: number; readonly haltedRuns: number },
): Promise<void> {
  await tx.query(
    {
      name: 'mark_store_checked',
      text: `update log_heads set checked_at = $1, restored_from = greatest(size, set_back_from, $2),
               acknowledged_to = greatest(set_back_from, $2), set_back = null, set_back_from = null,
               halted_runs = greatest(halted_runs, $3::bigint)`,
    },
    [at, from, haltedRuns],
  )
}

/** Returns the root (base64) of the first `size` leaves; null: tiles are missing. */
async function rootAt(tx: Queries, size: number): Promise<string | null> {
  const whole = { from: 0, to: size }
  const tiles = await loadTiles(tx, tilesOfRanges([whole]))
  try {
    return hashOfLeaves(whole, (tile) => tiles.get(keyOfTile(tile)) ?? new Uint8Array(0)).toString('base64')
  } catch (error) {
    if (error instanceof TileIncomplete) return null
    throw error
  }
}

/** Runs before the pool owns the connection, so statements are sent unprepared. */
const overClient = (client: ClientBase): Queries => ({
  query: async <R extends object>({ text }: { readonly text: string }, values: readonly unknown[] = []) =>
    (await client.query<R>(text, [...values])).rows,
})
