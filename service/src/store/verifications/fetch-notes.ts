// Notes that wallets fetched their requests: gathered for a second and written together, because nobody waits for them.

import type { Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'
import { noteRequestsFetched } from './asked.ts'

const GATHER_MS = 1_000
/** Beyond this many in a second the notes are dropped: they are for a timeline, not for a decision. */
const NOTES_MAX = 10_000

export interface FetchNotes {
  note(id: string, at: Instant): void
  /** Writes what is gathered. */
  flush(): Promise<void>
  close(): Promise<void>
}

export function createFetchNotes(tx: Tx, report: (event: string, error: unknown) => void): FetchNotes {
  const notes = new Map<string, Instant>()
  let timer: NodeJS.Timeout | undefined
  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const fetched = [...notes].map(([id, at]) => ({ id, at }))
    notes.clear()
    if (fetched.length === 0) return
    try {
      await noteRequestsFetched(tx, fetched)
    } catch (error) {
      report('fetched requests were not noted', error)
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
