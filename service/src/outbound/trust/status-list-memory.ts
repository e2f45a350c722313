// A bounded memory of lists: what was unused for longest goes first.

import type { Served } from './download-status-list.ts'

export interface Kept extends Served {
  readonly fetchedAtMs: number
  readonly freshUntilMs: number
  /** When the list says it was made (unix seconds). */
  readonly issuedAt: number | null
  /** Until when it is not fetched again although nobody has verified it. */
  readonly retryAtMs: number
}

export interface Bounds {
  readonly lists: number
  readonly bytes: number
}

export type Memory = ReturnType<typeof createMemory>

export function createMemory(bounds: Bounds) {
  const kept = new Map<string, Kept>()
  let bytes = 0
  const sizeOf = (name: string, list: Kept) => 2 * name.length + list.bytes.length
  const drop = (name: string, list: Kept | undefined) => {
    if (list === undefined) return
    bytes -= sizeOf(name, list)
    kept.delete(name)
  }
  return {
    get(name: string): Kept | undefined {
      const found = kept.get(name)
      if (found === undefined) return undefined
      kept.delete(name)
      kept.set(name, found)
      return found
    },
    set(name: string, list: Kept): void {
      drop(name, kept.get(name))
      kept.set(name, list)
      bytes += sizeOf(name, list)
      for (const [oldest, dropped] of kept) {
        if (bytes <= bounds.bytes && kept.size <= bounds.lists) break
        drop(oldest, dropped)
      }
    },
  }
}
