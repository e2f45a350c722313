// Caches how verifications read in a list. Every list asks the store for ids and versions, and a text is used only for the version it
// was made of: what was erased, forgotten or changed is never shown from here.

import { createCache } from '../../../platform/cache.ts'
import type { ListedVersion } from './verifications.ts'

/** How a version reads, and the one moment at which it will read differently without having changed. */
export interface ListedText {
  readonly text: string
  /** Infinity: never. */
  readonly turnsAtMs: number
  readonly hasTurned: boolean
}

export interface ListedCache {
  /** null where it is not known how this version reads at this moment. */
  find(listed: ListedVersion, nowMs: number): string | null
  keep(listed: ListedVersion, reading: ListedText): void
  /** For the process that has just erased it, or what it told. */
  forget(id: string): void
  close(): void
}

const BYTES_MAX = 32 * 1024 * 1024
/** Texts with portraits are not worth the many that they would push out. */
const TEXT_CHARACTERS_MAX = 32 * 1024
/** A text that no list showed for this long is dropped, so that none outlives its row for longer. */
const IDLE_MS = 30_000

interface Entry extends ListedText {
  readonly version: string
}

/** `now` is a monotonic clock of this process. */
export function createListedCache(now: () => number, bytesMax = BYTES_MAX): ListedCache {
  const cache = createCache<Entry>({
    bytesMax,
    bytesOf: ({ text, version }) => 2 * (text.length + version.length),
    ttlMs: IDLE_MS,
    lifetime: 'idle',
  })
  const timer = setInterval(() => cache.purge(now()), IDLE_MS).unref()
  return {
    find({ id, version }, nowMs) {
      const entry = cache.get(id, now())
      if (entry === undefined || entry.version !== version) return null
      return nowMs >= entry.turnsAtMs === entry.hasTurned ? entry.text : null
    },
    keep({ id, version }, reading) {
      if (reading.text.length <= TEXT_CHARACTERS_MAX) cache.set(id, { version, ...reading }, now())
    },
    forget: cache.delete,
    close: () => clearInterval(timer),
  }
}
