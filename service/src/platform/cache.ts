// Provides a bounded cache: sizes in bytes, entries with a lifetime, one load at a time per key, and invalidation.

import { LRUCache } from 'lru-cache'
import { inTurn } from './event-loop/in-turn.ts'

export interface CacheOptions<Value> {
  /** Bound on the memory of all entries. The least recently used ones are evicted first. */
  readonly bytesMax: number
  /** Memory of one value; the cache adds its key and its own bookkeeping. */
  readonly bytesOf: (value: Value & {}) => number
  /** How long a value may be used. Also limits the effect of a lost invalidation. */
  readonly ttlMs: number
  /** `age`: the lifetime begins when the value is stored. `idle`: it begins again with each use. */
  readonly lifetime?: 'age' | 'idle'
}

export interface Cache<Value> {
  /** undefined if the cache has no usable value. */
  get(key: string, nowMs: number): Value | undefined
  /** Never stores null and undefined, because an absent value may be created at any moment. */
  set(key: string, value: Value, nowMs: number): void
  /**
   * Returns the stored value, or what `load` returns. Callers of one key share a load. A load that began before an
   * invalidation is returned but not stored. `stale` is the expired value, which `load` may return if nothing changed.
   */
  find(key: string, nowMs: number, load: (stale: Value | undefined) => Promise<Value>): Promise<Value>
  delete(key: string): void
  /** Invalidates and drops every entry. */
  clear(): void
  /** Invalidates every entry, and passes each to the next `load` of its key as `stale`. */
  expire(): void
  /** Drops expired entries, so that none outlives its lifetime because no caller looks it up. */
  purge(nowMs: number): void
}

/** Entry object, its places in the list and in the index, and the key's header. */
const ENTRY_BYTES = 200

interface Entry<Value> {
  readonly value: Value & {}
  expiresAtMs: number
}

export function createCache<Value>({ bytesMax, bytesOf, ttlMs, lifetime = 'age' }: CacheOptions<Value>): Cache<Value> {
  const entries = new LRUCache<string, Entry<Value>>({
    maxSize: bytesMax,
    sizeCalculation: ({ value }, key) => ENTRY_BYTES + 2 * key.length + Math.ceil(bytesOf(value)),
  })
  const loading = new Map<string, Promise<Value>>()
  let generation = 0
  const get = (key: string, nowMs: number): Value | undefined => {
    const entry = entries.get(key)
    if (entry === undefined || nowMs >= entry.expiresAtMs) return undefined
    if (lifetime === 'idle') entry.expiresAtMs = nowMs + ttlMs
    return entry.value
  }
  const set = (key: string, value: Value, nowMs: number) => {
    if (value === null || value === undefined) entries.delete(key)
    else entries.set(key, { value, expiresAtMs: nowMs + ttlMs })
  }
  const load = async (key: string, nowMs: number, run: (stale: Value | undefined) => Promise<Value>) => {
    const began = generation
    const value = await run(entries.get(key)?.value)
    if (began === generation) set(key, value, nowMs)
    return value
  }
  return {
    get,
    set,
    async find(key, nowMs, run) {
      const value = get(key, nowMs)
      if (value !== undefined) return value
      const shared = loading.get(key)
      if (shared !== undefined) {
        const loaded = await shared
        // What all callers do with it may be long in sum.
        await inTurn(key)
        return loaded
      }
      const started = load(key, nowMs, run)
      loading.set(key, started)
      try {
        return await started
      } finally {
        if (loading.get(key) === started) loading.delete(key)
      }
    },
    delete: (key) => void entries.delete(key),
    clear() {
      generation += 1
      loading.clear()
      entries.clear()
    },
    expire() {
      generation += 1
      loading.clear()
      for (const entry of entries.values()) entry.expiresAtMs = Number.NEGATIVE_INFINITY
    },
    purge(nowMs) {
      for (const [key, entry] of entries.entries()) if (nowMs >= entry.expiresAtMs) entries.delete(key)
    },
  }
}
