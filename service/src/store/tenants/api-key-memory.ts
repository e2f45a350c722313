// What a process remembers of API keys it has seen, so that a busy key costs no query a request. At most a second old;
// a revocation anywhere empties it at once through NOTIFY. Unknown keys are never remembered.

import type { ApiKey } from '../../domain/tenant/api-key.ts'
import type { Db } from '../postgres/db.ts'
import { findApiKeyByHash, KEY_CHANNEL } from './api-keys.ts'

/** Stated staleness: revocation takes effect everywhere within this time even if a notification is lost. */
const REMEMBER_MS = 1_000
const ENTRIES_MAX = 10_000

export interface KeyMemory {
  find(hash: Buffer, nowMs: number): Promise<ApiKey | null>
  close(): Promise<void>
}

export async function createKeyMemory(db: Db): Promise<KeyMemory> {
  const known = new Map<string, { key: ApiKey; until: number }>()
  // A look-up that began before a revocation must not be remembered after it.
  let generation = 0
  const forget = () => {
    generation += 1
    known.clear()
  }
  const stop = await db.listen(KEY_CHANNEL, forget, forget)
  return {
    async find(hash, nowMs) {
      const name = hash.toString('base64')
      const remembered = known.get(name)
      if (remembered !== undefined && nowMs < remembered.until) return remembered.key
      const began = generation
      const key = await findApiKeyByHash(db, hash)
      known.delete(name)
      if (key !== null && began === generation) {
        if (known.size >= ENTRIES_MAX) known.clear()
        known.set(name, { key, until: nowMs + REMEMBER_MS })
      }
      return key
    },
    close: stop,
  }
}
