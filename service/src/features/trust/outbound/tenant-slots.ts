// Limits each tenant's parallel downloads, and the bytes of all lists in progress.

import type { Shares } from '../../../platform/shares.ts'

export interface Slot {
  /**
   * Ends a download of this many bytes, so that the tenant's next download can start. Returns a function that releases
   * the room for these bytes, to call after parsing.
   */
  end(bytes: number): () => void
}

export interface TenantSlots {
  take(owner: string): Promise<Slot>
}

interface SlotBounds {
  /** Parallel downloads of a tenant. */
  readonly atOnce: number
  /** Length of the longest list. */
  readonly bytesMax: number
  /** Bytes, by tenant. */
  readonly room: Shares
}

/** A download starts when there is room for the longest list. The tenant that uses the least room comes first. */
export function createTenantSlots({ atOnce, bytesMax, room }: SlotBounds): TenantSlots {
  const running = new Map<string, number>()
  /** Bounded by the number of lists in progress. */
  const queue: { readonly owner: string; readonly start: (slot: Slot) => void }[] = []

  function change(owner: string, by: number): void {
    const count = (running.get(owner) ?? 0) + by
    if (count === 0) running.delete(owner)
    else running.set(owner, count)
  }

  function startNext(): void {
    const byRoom = queue.toSorted((one, other) => room.usedBy(one.owner) - room.usedBy(other.owner))
    for (const waiting of byRoom) {
      const { owner, start } = waiting
      if ((running.get(owner) ?? 0) >= atOnce || room.take([owner], bytesMax) !== 'taken') continue
      change(owner, 1)
      queue.splice(queue.indexOf(waiting), 1)
      start(slotOf(owner))
    }
  }

  const slotOf = (owner: string): Slot => ({
    end(bytes) {
      const kept = Math.min(bytes, bytesMax)
      change(owner, -1)
      room.give([owner], bytesMax - kept)
      startNext()
      return () => {
        room.give([owner], kept)
        startNext()
      }
    },
  })

  return {
    take: (owner) =>
      new Promise((start) => {
        queue.push({ owner, start })
        startNext()
      }),
  }
}

/**
 * Returns the first slot of any tenant that waits for the same download. So the download does not wait behind other
 * lists of the tenant that started it. `join` adds a tenant.
 */
export function firstSlot(slots: TenantSlots): { readonly taken: Promise<Slot>; join(owner: string): void } {
  const { promise, resolve } = Promise.withResolvers<Slot>()
  let isTaken = false
  return {
    taken: promise,
    async join(owner) {
      if (isTaken) return
      const slot = await slots.take(owner)
      if (isTaken) return slot.end(0)()
      isTaken = true
      resolve(slot)
    },
  }
}
