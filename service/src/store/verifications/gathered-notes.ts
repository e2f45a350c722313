// Notes of when something first happened to verifications: gathered for a second and written together, because nobody waits for them.

import type { Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'

const GATHER_MS = 1_000
/** Beyond this many in a second the notes are dropped: they are for a timeline, not for a decision. */
const NOTES_MAX = 10_000

export interface GatheredNotes {
  note(id: string, at: Instant): void
  /** Writes what is gathered. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface Note {
  readonly id: string
  readonly at: Instant
}

/** `write` leaves out whatever somebody holds, and what was noted before. */
export function createGatheredNotes(
  tx: Tx,
  write: (tx: Tx, notes: readonly Note[]) => Promise<void>,
  report: (error: unknown) => void,
): GatheredNotes {
  const notes = new Map<string, Instant>()
  let timer: NodeJS.Timeout | undefined
  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const gathered = [...notes].map(([id, at]) => ({ id, at }))
    notes.clear()
    if (gathered.length === 0) return
    try {
      await write(tx, gathered)
    } catch (error) {
      report(error)
    }
  }
  return {
    note(id, at) {
      if (notes.size >= NOTES_MAX || notes.has(id)) return
      notes.set(id, at)
      timer ??= setTimeout(() => void flush(), GATHER_MS).unref()
    },
    flush,
    close: flush,
  }
}
