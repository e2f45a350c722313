// Limits the parallel downloads of each tenant: the others of its lists wait, and no other tenant's do.

/** Ends the download, so that the tenant's next one starts. */
export type Release = () => void

interface Holder {
  running: number
  readonly queue: ((release: Release) => void)[]
}

export interface TenantSlots {
  take(owner: string): Promise<Release>
}

export function createTenantSlots(atOnce: number): TenantSlots {
  const byOwner = new Map<string, Holder>()

  function releaseOf(owner: string, holder: Holder): Release {
    return () => {
      const next = holder.queue.shift()
      if (next !== undefined) return next(releaseOf(owner, holder))
      holder.running -= 1
      if (holder.running === 0) byOwner.delete(owner)
    }
  }

  return {
    take(owner) {
      const holder = byOwner.get(owner) ?? { running: 0, queue: [] }
      byOwner.set(owner, holder)
      if (holder.running >= atOnce) return new Promise((resolve) => void holder.queue.push(resolve))
      holder.running += 1
      return Promise.resolve(releaseOf(owner, holder))
    },
  }
}

/**
 * The first slot of any tenant that waits for the same download: a tenant does not wait behind the other lists of the
 * tenant that started it. `join` adds a tenant.
 */
export function firstSlot(slots: TenantSlots): { readonly taken: Promise<Release>; join(owner: string): void } {
  const { promise, resolve } = Promise.withResolvers<Release>()
  let isTaken = false
  return {
    taken: promise,
    async join(owner) {
      if (isTaken) return
      const release = await slots.take(owner)
      if (isTaken) return release()
      isTaken = true
      resolve(release)
    },
  }
}
