// Caches lists within a memory limit. Evicts first from the tenant that uses most.

import type { ListContent, ListLifetime } from '@vidimus/engine'
import type { Served } from './download-status-list.ts'

export interface Kept extends Served {
  readonly content: ListContent
  readonly lifetime: ListLifetime
  /** Bytes of memory that the list uses. */
  readonly memory: number
  readonly fetchedAtMs: number
  readonly freshUntilMs: number
  /** Until then it is used while its host fails, or serves an older list. */
  readonly usableUntilMs: number
  /** An unverified list is not fetched again before this time. */
  readonly retryAtMs: number
}

interface Entry {
  readonly list: Kept
  /** The only tenant that uses the list; null: several tenants, or the operator. */
  owner: string | null
}

export type Memory = ReturnType<typeof createMemory>

export function createMemory(bytesMax: number) {
  /** Least recently used first, because a Map iterates in insertion order. */
  const kept = new Map<string, Entry>()
  const bytesByOwner = new Map<string | null, number>()
  let bytes = 0
  const count = (owner: string | null, by: number) => {
    const left = (bytesByOwner.get(owner) ?? 0) + by
    if (left === 0) bytesByOwner.delete(owner)
    else bytesByOwner.set(owner, left)
    bytes += by
  }
  const sizeOf = (name: string, { list }: Entry) => 2 * name.length + list.memory
  const drop = (name: string, entry: Entry | undefined) => {
    if (entry === undefined) return
    count(entry.owner, -sizeOf(name, entry))
    kept.delete(name)
  }
  /** Evicts this owner's lists until the cache fits or the owner uses no more than its share. */
  const makeRoom = (owner: string | null, share: number) => {
    for (const [name, entry] of kept) {
      if (bytes <= bytesMax || (bytesByOwner.get(owner) ?? 0) <= share) return
      if (entry.owner === owner) drop(name, entry)
    }
  }
  return {
    get(name: string, owner: string | null): Kept | undefined {
      const found = kept.get(name)
      if (found === undefined) return undefined
      kept.delete(name)
      kept.set(name, found)
      if (found.owner !== owner && found.owner !== null) {
        const size = sizeOf(name, found)
        count(found.owner, -size)
        found.owner = null
        count(null, size)
      }
      return found.list
    },
    set(name: string, list: Kept, owner: string | null): void {
      const before = kept.get(name)
      drop(name, before)
      const entry = { list, owner: before === undefined || before.owner === owner ? owner : null }
      kept.set(name, entry)
      count(entry.owner, sizeOf(name, entry))
      while (bytes > bytesMax) {
        const owner = (bytesByOwner.get(null) ?? 0) > bytesMax * COMMON_SHARE ? null : heaviest(bytesByOwner)
        makeRoom(owner, Math.min((bytesByOwner.get(owner) ?? 1) - 1, bytesMax / bytesByOwner.size))
      }
    },
    bytes: () => bytes,
  }
}

/** Lists without an owner are evicted only if they use more than this part of the memory. Otherwise the largest tenant's are. */
const COMMON_SHARE = 0.75

function heaviest(bytesByOwner: ReadonlyMap<string | null, number>): string | null {
  const [first] = [...bytesByOwner].filter(([owner]) => owner !== null).sort(([, a], [, b]) => b - a)
  return first?.[0] ?? null
}
