// Caches API keys, so that a busy key costs no query per request, and counts their uses until they are written.

import { createCache } from '../../../platform/cache.ts'
import { type BatchJob, createBatcher } from '../../../platform/event-loop/batch.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { instantOf } from '../../../platform/world.ts'
import type { ApiKey } from '../domain/api-key.ts'
import { findApiKeysByHash, KEY_CHANNEL, type KnownKey } from './api-keys.ts'
import { noteKeyUses } from './key-days.ts'

/** A revocation takes effect everywhere within this time even if its notification is lost. */
const TTL_MS = 1_000
const BYTES_MAX = 16 * 1024 * 1024
/** The memory of a key with its hash, scopes and dates. */
const KEY_BYTES = 1_000
/** Keys whose last written minute is cached. */
const MINUTES_MAX = 10_000
/** Uses are written this long after the first unwritten one. */
const WRITE_AFTER_MS = 30_000

/** Keys of many tenants that are looked up at once share a query. */
const LOOK_UP: BatchJob<Db, Buffer, KnownKey | null> = { itemsMax: 64, run: findApiKeysByHash }

export interface KeyCache {
  find(hash: Buffer, nowMs: number): Promise<KnownKey | null>
  /** The first use in a minute is written at once, later ones in a batch. */
  noteUse(key: ApiKey, nowMs: number): void
  /** Empties the cache. For the process that has just revoked or rolled a key. */
  forget(): void
  /** Writes the pending uses. */
  writeUses(): Promise<void>
  close(): Promise<void>
}

interface Unwritten {
  readonly key: ApiKey
  uses: number
  lastMs: number
}

export async function createKeyCache(db: Db, onFault: (error: unknown) => void): Promise<KeyCache> {
  const cache = createCache<KnownKey | null>({ bytesMax: BYTES_MAX, bytesOf: () => KEY_BYTES, ttlMs: TTL_MS })
  const stop = await db.listen(KEY_CHANNEL, cache.clear, cache.clear)
  const uses = createUseCount(db, onFault)
  const batcher = createBatcher()
  return {
    find: (hash, nowMs) =>
      cache.find(hash.toString('base64'), nowMs, () => batcher.add(LOOK_UP, db, { lane: 'all', item: hash })),
    noteUse: uses.note,
    forget: cache.clear,
    writeUses: uses.write,
    async close() {
      await uses.write()
      await stop()
    },
  }
}

/** A batch covers at most half a minute. All of its uses count for the day of the latest use. */
function createUseCount(db: Db, onFault: (error: unknown) => void) {
  const unwritten = new Map<string, Unwritten>()
  let writing = Promise.resolve()
  let timer: NodeJS.Timeout | null = null
  const writeAll = async () => {
    const taken = [...unwritten.values()]
    if (taken.length === 0) return
    unwritten.clear()
    const noted = taken.map(({ key: { tenantId, environment, id: keyId }, uses, lastMs }) => {
      return { tenantId, environment, keyId, uses, lastAt: instantOf(lastMs) }
    })
    await noteKeyUses(db, noted).catch((error) => {
      // The failed batch has uses of many tenants. They are written with the next batch.
      for (const { key, uses, lastMs } of taken) {
        const since = unwritten.get(key.id)
        unwritten.set(key.id, { key, uses: uses + (since?.uses ?? 0), lastMs: since?.lastMs ?? lastMs })
      }
      onFault(error)
    })
  }
  const write = () => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    writing = writing.then(writeAll)
    return writing
  }
  /** By key: the last minute in which this process wrote at once. */
  const minutes = new Map<string, number>()
  const isNewMinute = ({ id }: ApiKey, nowMs: number) => {
    const minute = Math.floor(nowMs / 60_000)
    if (minutes.get(id) === minute) return false
    if (minutes.size >= MINUTES_MAX) minutes.clear()
    minutes.set(id, minute)
    return true
  }
  return {
    note(key: ApiKey, nowMs: number) {
      const found = unwritten.get(key.id)
      if (found !== undefined) {
        found.uses += 1
        found.lastMs = nowMs
        return
      }
      unwritten.set(key.id, { key, uses: 1, lastMs: nowMs })
      if (isNewMinute(key, nowMs)) void write()
      else timer ??= setTimeout(write, WRITE_AFTER_MS).unref()
    },
    write,
  }
}
