// Notes that wallets fetched their requests: gathered for a second and written together, because nobody waits for them.

import type { Tx } from '../postgres/db.ts'
import { type Fetched, noteRequestsFetched } from './asked.ts'

const GATHER_MS = 1_000
/** Beyond this many in a second the notes are dropped: they are for a timeline, not for a decision. */
const NOTES_MAX = 10_000

export interface FetchNotes {
  note(fetched: Fetched): void
  /** Writes what is gathered. */
  flush(): Promise<void>
  close(): Promise<void>
}

export function createFetchNotes(tx: Tx, report: (event: string, error: unknown) => void): FetchNotes {
  const notes = new Map<string, Fetched>()
  let timer: NodeJS.Timeout | undefined
  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const fetched = [...notes.values()]
    notes.clear()
    if (fetched.length === 0) return
    try {
      await noteRequestsFetched(tx, fetched)
    } catch (error) {
      report('fetched requests were not noted', error)
    }
  }
  return {
    note(fetched) {
      if (notes.size >= NOTES_MAX || notes.has(fetched.id)) return
      notes.set(fetched.id, fetched)
      timer ??= setTimeout(() => void flush(), GATHER_MS).unref()
    },
    flush,
    close: flush,
  }
}
