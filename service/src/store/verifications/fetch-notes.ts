// Notes that wallets fetched their requests, and the hash of what they got: gathered for a second and written together, because
// nobody waits for them.

import type { Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'
import { noteRequestsFetched } from './asked.ts'

const GATHER_MS = 1_000
/** Beyond this many in a second the notes are dropped: they are for a timeline and a receipt, not for a decision. */
const NOTES_MAX = 10_000

export interface FetchNotes {
  /** The first time stands, and the last hash: a wallet answers what it fetched last. */
  note(id: string, fetched: FetchNote): void
  /** Of what is noted here and not written yet; null: see the store. */
  unwrittenHash(id: string): Uint8Array | null
  /** Writes what is gathered. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface FetchNote {
  readonly at: Instant
  /** SHA-256 of the request object. */
  readonly sha256: Uint8Array
}

export function createFetchNotes(tx: Tx, report: (event: string, error: unknown) => void): FetchNotes {
  let notes = new Map<string, FetchNote>()
  const writing = new Set<ReadonlyMap<string, FetchNote>>()
  let timer: NodeJS.Timeout | undefined
  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const taken = notes
    notes = new Map()
    if (taken.size === 0) return
    writing.add(taken)
    try {
      await noteRequestsFetched(
        tx,
        [...taken].map(([id, note]) => ({ id, ...note })),
      )
    } catch (error) {
      report('fetched requests were not noted', error)
    } finally {
      writing.delete(taken)
    }
  }
  return {
    note(id, fetched) {
      const before = notes.get(id)
      if (before === undefined && notes.size >= NOTES_MAX) return
      notes.set(id, before === undefined ? fetched : { ...fetched, at: before.at })
      timer ??= setTimeout(() => void flush(), GATHER_MS).unref()
    },
    unwrittenHash(id) {
      const found = notes.get(id) ?? [...writing].findLast((taken) => taken.has(id))?.get(id)
      return found?.sha256 ?? null
    },
    flush,
    close: flush,
  }
}
