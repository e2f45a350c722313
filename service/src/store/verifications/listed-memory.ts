// How verifications read that were listed lately. A list asks the store at every call which rows there are and in which version; a
// text is shown again only for the version it was made of, so what was erased, forgotten or changed is never shown from here. What
// nobody has asked for in a minute is dropped: nothing outlives its row for longer.

import type { ListedVersion } from './verifications.ts'

/** How a version reads, and the one moment at which it will read differently without having changed. */
export interface ListedText {
  readonly text: string
  /** Infinity: never. */
  readonly turnsAtMs: number
  readonly hasTurned: boolean
}

export interface ListedMemory {
  /** null where it is not known how this version reads at this moment. */
  find(listed: ListedVersion, nowMs: number): string | null
  keep(listed: ListedVersion, reading: ListedText): void
  /** For the process that has just erased it, or what it told. */
  forget(id: string): void
  /** Drops what was not asked for since this was done last. It does so by itself twice a minute. */
  age(): void
  close(): void
}

/** Of the texts in each of the two halves. */
const CHARACTERS_MAX = 8 * 1024 * 1024
/** Portraits and their like are not worth what they would push out. */
const TEXT_CHARACTERS_MAX = 32 * 1024
const AGE_EVERY_MS = 30_000

interface Entry extends ListedText {
  readonly version: string
}

/** Two halves: what is asked for moves into the newer one, and the older one is dropped whole. */
export function createListedMemory(charactersMax = CHARACTERS_MAX): ListedMemory {
  let newer = new Map<string, Entry>()
  let older = new Map<string, Entry>()
  let characters = 0
  const age = () => {
    older = newer
    newer = new Map()
    characters = 0
  }
  const timer = setInterval(age, AGE_EVERY_MS).unref()
  const put = (id: string, entry: Entry) => {
    const { length } = entry.text
    if (length > TEXT_CHARACTERS_MAX) return
    if (characters + length > charactersMax) age()
    newer.set(id, entry)
    characters += length
  }
  return {
    find({ id, version }, nowMs) {
      const recent = newer.get(id)
      const entry = recent ?? older.get(id)
      if (entry === undefined || entry.version !== version) return null
      if (nowMs >= entry.turnsAtMs !== entry.hasTurned) return null
      if (recent === undefined) put(id, entry)
      return entry.text
    },
    keep: ({ id, version }, reading) => put(id, { version, ...reading }),
    forget(id) {
      newer.delete(id)
      older.delete(id)
    },
    age,
    close: () => clearInterval(timer),
  }
}
