// Caches rendered verifications for lists, by id and version.

import { createCache } from '../../../platform/cache.ts'
import type { ListedVersion } from './verifications.ts'

/** The rendered text of a version, and the moment at which it changes without a write. */
export interface ListedText {
  readonly text: string
  /** Infinity: never. */
  readonly turnsAtMs: number
  readonly hasTurned: boolean
}

/** Each list loads ids and versions from the store, so the cache never shows erased or changed content. */
export interface ListedCache {
  /** null if the text of this version at this moment is not cached. */
  find(listed: ListedVersion, nowMs: number): string | null
  keep(listed: ListedVersion, reading: ListedText): void
  /** For the process that has just erased the verification, or deleted its content. */
  forget(id: string): void
  close(): void
}

const BYTES_MAX = 32 * 1024 * 1024
/** Longer texts, with portraits, would evict too many others. */
const TEXT_CHARACTERS_MAX = 32 * 1024
/** Drops a text that no list showed for this long. This limits how long the text can outlive its row. */
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
