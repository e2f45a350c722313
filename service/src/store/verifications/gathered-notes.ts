// Notes of when something first happened to verifications: gathered for a second and written together, because nobody waits for them.

import type { Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'

const GATHER_MS = 1_000
/** Beyond this many in a second the notes are dropped: they are for a timeline, not for a decision. */
const NOTES_MAX = 10_000

export interface Note {
  readonly id: string
  readonly at: Instant
}

export interface GatheredNotes<Noted extends Note = Note> {
  note(noted: Noted): void
  /** Writes what is gathered. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** `write` leaves out whatever somebody holds, and what was noted before. */
export function createGatheredNotes<Noted extends Note>(
  tx: Tx,
  write: (tx: Tx, notes: readonly Noted[]) => Promise<void>,
  report: (error: unknown) => void,
): GatheredNotes<Noted> {
  const notes = new Map<string, Noted>()
  let timer: NodeJS.Timeout | undefined
  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const gathered = [...notes.values()]
    notes.clear()
    if (gathered.length === 0) return
    try {
      await write(tx, gathered)
    } catch (error) {
      report(error)
    }
  }
  return {
    note(noted) {
      if (notes.size >= NOTES_MAX || notes.has(noted.id)) return
      notes.set(noted.id, noted)
      timer ??= setTimeout(() => void flush(), GATHER_MS).unref()
    },
    flush,
    close: flush,
  }
}
