// Collects notes of when something first happened, and writes them in batches. No request waits for that.

import type { Instant } from '../world.ts'
import type { Tx } from './db.ts'

const GATHER_MS = 1_000
/** The maximum of notes per second. Further notes are dropped, because they are for a timeline, not for a decision. */
const NOTES_MAX = 10_000

export interface Note {
  readonly id: string
  readonly at: Instant
}

export interface TenantNote extends Note {
  readonly tenantId: string
}

export interface GatheredNotes<Noted extends Note = Note> {
  /** Adds a note. The first note of an id counts, unless notes are joined. */
  note(noted: Noted): void
  /** A note that is not written yet. null: the store has it, or there is none. */
  unwritten(id: string): Noted | null
  /** Writes the pending notes. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** `write` skips locked rows and existing notes. `join` merges two notes of one id; default: keeps the first. */
export function createGatheredNotes<Noted extends Note>(
  tx: Tx,
  write: (tx: Tx, notes: readonly Noted[]) => Promise<void>,
  report: (error: unknown) => void,
  join?: (earlier: Noted, later: Noted) => Noted,
): GatheredNotes<Noted> {
  let notes = new Map<string, Noted>()
  const writing = new Map<ReadonlyMap<string, Noted>, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  /** Also waits for notes that are already being written. */
  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const taken = notes
    notes = new Map()
    if (taken.size > 0) writing.set(taken, writeTaken(taken))
    await Promise.all(writing.values())
  }
  async function writeTaken(taken: ReadonlyMap<string, Noted>): Promise<void> {
    try {
      await write(tx, [...taken.values()])
    } catch (error) {
      report(error)
    } finally {
      writing.delete(taken)
    }
  }
  const unwritten = (id: string) => {
    const found = [...writing.keys(), notes].flatMap((taken) => taken.get(id) ?? [])
    return found.length === 0 ? null : found.reduce((earlier, later) => join?.(earlier, later) ?? earlier)
  }
  return {
    note(noted) {
      const known = notes.get(noted.id)
      if (known !== undefined && join !== undefined) notes.set(noted.id, join(known, noted))
      const isKnown = join === undefined ? unwritten(noted.id) !== null : known !== undefined
      if (isKnown || notes.size >= NOTES_MAX) return
      notes.set(noted.id, noted)
      timer ??= setTimeout(() => void flush(), GATHER_MS).unref()
    },
    unwritten,
    flush,
    close: flush,
  }
}
