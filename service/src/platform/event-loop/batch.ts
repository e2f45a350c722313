// Batches concurrent items per lane: items that arrive while a batch runs share the next one.

import { goInTurn } from './in-turn.ts'

/** How to process items of one kind in batches. The process's batcher keeps the queue. */
export interface BatchJob<Needs, Item, Result> {
  readonly itemsMax: number
  /** The maximum of all items of a batch together. A larger item shares its batch only with items of no bytes. */
  readonly bytes?: { readonly most: number; readonly of: (item: Item) => number }
  /** Shared by jobs that lock the same rows. Within a lane, only one of these jobs runs a batch at a time. */
  readonly mutexKey?: string
  /**
   * The owner of the item. If more items wait than fit into a batch, each owner's first item precedes all second items.
   */
  readonly ownerOf?: (item: Item) => string
  /** Returns a result for each item, in order. If it rejects, all items of the batch reject. */
  run(needs: Needs, items: readonly Item[]): Promise<readonly Result[]>
}

/** Runs one batch per lane at a time, so that hot rows are locked once per batch and not once per request. */
export interface Batcher {
  /** Items of one lane share batches. A batch runs with the `needs` of its first item. */
  add<Needs, Item, Result>(job: BatchJob<Needs, Item, Result>, needs: Needs, input: BatchInput<Item>): Promise<Result>
  /** Whether a job with that mutex key runs, or waits for, a batch in that lane. */
  isBusy(mutexKey: string, lane: string): boolean
}

export interface BatchInput<Item> {
  readonly lane: string
  readonly item: Item
}

/** How often a shared batch is tried. Another process may have locked the rows while its own batch runs. */
const SHARED_TRIES = 2

/**
 * A job for items of many owners. Owners share batches while their rows are free. If an owner's rows are locked, its
 * items wait in its own lane, so that they delay no other owner.
 */
export interface SharedBatchJob<Needs, Item, Result> {
  /** The mutex key of shared batches and of batches of one owner. */
  readonly mutexKey: string
  readonly ownerOf: (item: Item) => string
  /** The lane of the shared batches. */
  readonly laneOf: (item: Item) => string
  /** A result is null if nothing was written for its item: the rows were locked, or the whole batch failed. */
  readonly shared: BatchJob<Needs, Item, Result | null>
  readonly own: BatchJob<Needs, Item, Result>
}

type SharedTerms<Needs, Item, Result> = Pick<SharedBatchJob<Needs, Item, Result>, 'mutexKey' | 'ownerOf' | 'laneOf'> & {
  readonly itemsMax: number
  readonly bytes: (item: Item) => number
  readonly shared: BatchJob<Needs, Item, Result | null>['run']
  readonly own: BatchJob<Needs, Item, Result>['run']
}

/** Bytes of a batch. Digesting, encrypting and encoding them takes about as long as one response may take. */
const SHARED_BYTES_MAX = 1_000_000

export function createSharedBatchJob<Needs, Item, Result>(
  terms: SharedTerms<Needs, Item, Result>,
): SharedBatchJob<Needs, Item, Result> {
  const { mutexKey, ownerOf, laneOf, shared, own } = terms
  const bounds = { itemsMax: terms.itemsMax, bytes: { most: SHARED_BYTES_MAX, of: terms.bytes } }
  return {
    mutexKey,
    ownerOf,
    laneOf,
    shared: { ...bounds, mutexKey, ownerOf, run: shared },
    own: { ...bounds, mutexKey, run: own },
  }
}

export async function addShared<Needs extends { readonly batcher: Batcher }, Item, Result>(
  deps: Needs,
  { mutexKey, ownerOf, laneOf, shared, own }: SharedBatchJob<Needs, Item, Result>,
  item: Item,
): Promise<Result> {
  const owner = ownerOf(item)
  // If items of this owner wait already, its rows are locked, and a shared batch would fail.
  for (let tried = 0; tried < SHARED_TRIES && !deps.batcher.isBusy(mutexKey, owner); tried += 1) {
    const result = await deps.batcher.add(shared, deps, { lane: laneOf(item), item })
    if (result !== null) return result
  }
  return deps.batcher.add(own, deps, { lane: owner, item })
}

/** The found row of each id; null if there is none. */
export function inOrder<Found extends { readonly id: string }>(
  ids: readonly string[],
  found: readonly Found[],
): (Found | null)[] {
  const byId = new Map(found.map((one) => [one.id, one]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** Runs a function in a context that was captured earlier. */
export type Within = <T>(work: () => T) => T

/**
 * Each process has one batcher. With `remember`, a batch runs in the context of its first item; otherwise, of the
 * caller that started the lane.
 */
export function createBatcher(remember?: () => Within): Batcher {
  const byJob = new Map<object, Map<string, unknown>>()
  const mutexes = createMutexes()
  return {
    isBusy: (mutexKey, lane) => mutexes.isTaken(`${mutexKey} ${lane}`),
    add<Needs, Item, Result>(job: BatchJob<Needs, Item, Result>, needs: Needs, { lane, item }: BatchInput<Item>) {
      const known = byJob.get(job) ?? new Map<string, unknown>()
      byJob.set(job, known)
      // A job is one object, so everything queued under it has its types.
      const lanes = known as Map<string, Waiting<Needs, Item, Result>[]>
      return new Promise<Result>((resolve, reject) => {
        const waiting = lanes.get(lane)
        const within = remember?.()
        if (waiting !== undefined) {
          waiting.push({ needs, item, within, resolve, reject })
          return
        }
        const first = [{ needs, item, within, resolve, reject }]
        lanes.set(lane, first)
        const mutexKey = job.mutexKey === undefined ? null : `${job.mutexKey} ${lane}`
        void drain(job, first, { name: lane, mutexes, mutexKey, leave: () => lanes.delete(lane) })
      })
    },
  }
}

interface Waiting<Needs, Item, Result> {
  readonly needs: Needs
  readonly item: Item
  readonly within: Within | undefined
  resolve(result: Result): void
  reject(reason: unknown): void
}

/** Runs until the queue is empty. `leave` is called in the same tick, so that no item joins a lane that has stopped. */
async function drain<Needs, Item, Result>(
  job: BatchJob<Needs, Item, Result>,
  waiting: Waiting<Needs, Item, Result>[],
  lane: { readonly name: string; readonly mutexes: Mutexes; readonly mutexKey: string | null; leave(): void },
): Promise<void> {
  const { name, mutexes, mutexKey } = lane
  for (let [first] = waiting; first !== undefined; [first] = waiting) {
    await restOfTurn()
    // Items that arrive while another job holds the mutex still join this batch.
    if (mutexKey !== null) await mutexes.acquire(mutexKey)
    const batch = takeBatch(job, waiting)
    try {
      const { needs, within } = first
      const run = () =>
        job.run(
          needs,
          batch.map(({ item }) => item),
        )
      const results = await (within === undefined ? run() : within(run))
      if (results.length !== batch.length) throw new Error('bug: a batch did not return one result per item')
      // What all callers of a batch do next may be long in sum.
      for (const [i, { item, resolve }] of batch.entries())
        goInTurn(job.ownerOf?.(item) ?? name, () => resolve(results[i] as Result))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      if (mutexKey !== null) mutexes.release(mutexKey)
    }
  }
  lane.leave()
}

/** Waits until all sockets that are readable now were read: other requests may have arrived at the same time. */
export const restOfTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))

function takeBatch<Needs, Item, Result>(
  { itemsMax, bytes, ownerOf }: BatchJob<Needs, Item, Result>,
  waiting: Waiting<Needs, Item, Result>[],
): Waiting<Needs, Item, Result>[] {
  const most = bytes?.most ?? 0
  const sizes = waiting.map(({ item }) => bytes?.of(item) ?? 0)
  if (waiting.length <= itemsMax && sizes.reduce((sum, size) => sum + size, 0) <= most) return waiting.splice(0)
  const taken = new Set<number>()
  let left = most
  for (const at of ownerOf === undefined ? waiting.keys() : inTurns(waiting, ownerOf)) {
    if (taken.size === itemsMax) break
    const size = sizes[at] ?? 0
    // The first item is always taken. Smaller items need not wait behind one that no longer fits.
    if (taken.size > 0 && size > left) continue
    taken.add(at)
    left = Math.max(0, left - size)
  }
  const all = waiting.splice(0)
  waiting.push(...all.filter((_, at) => !taken.has(at)))
  return all.filter((_, at) => taken.has(at))
}

/** Returns positions: every owner's first item before any owner's second. */
function inTurns<Item>(
  waiting: readonly { readonly item: Item }[],
  ownerOf: (item: Item) => string,
): readonly number[] {
  const counts = new Map<string, number>()
  const turns = waiting.map(({ item }) => {
    const name = ownerOf(item)
    const before = counts.get(name) ?? 0
    counts.set(name, before + 1)
    return before
  })
  return [...waiting.keys()].sort((a, b) => (turns[a] ?? 0) - (turns[b] ?? 0) || a - b)
}

interface Mutexes {
  acquire(name: string): Promise<void>
  release(name: string): void
  isTaken(name: string): boolean
}

function createMutexes(): Mutexes {
  /** The waiters of each mutex key; a free key has no entry. */
  const queues = new Map<string, (() => void)[]>()
  return {
    isTaken: (name) => queues.has(name),
    async acquire(name) {
      const queue = queues.get(name)
      if (queue === undefined) queues.set(name, [])
      else await new Promise<void>((resolve) => void queue.push(resolve))
    },
    release(name) {
      const next = queues.get(name)?.shift()
      if (next === undefined) queues.delete(name)
      else next()
    },
  }
}
