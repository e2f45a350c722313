// Work that meets is done together: while a lane's batch runs, what arrives gathers and goes with the next one.
// One batch a lane at a time, so that a tenant's hot rows are taken once a batch and not once a request.

/** A kind of work that is done in batches: the logic is here, what waits to be done is kept by the process's lanes. */
export interface Work<Needs, Item, Result> {
  readonly itemsMax: number
  /** Answers for each item, in order; when it rejects, so do all of its batch. */
  run(needs: Needs, items: readonly Item[]): Promise<readonly Result[]>
}

export interface Lanes {
  /** What shares a lane shares batches; a batch is run with the needs of the first in it. */
  add<Needs, Item, Result>(work: Work<Needs, Item, Result>, needs: Needs, given: Given<Item>): Promise<Result>
}

export interface Given<Item> {
  readonly lane: string
  readonly item: Item
}

/** One for each process. */
export function createLanes(): Lanes {
  const byWork = new Map<object, Map<string, unknown>>()
  return {
    add<Needs, Item, Result>(work: Work<Needs, Item, Result>, needs: Needs, { lane, item }: Given<Item>) {
      const known = byWork.get(work) ?? new Map<string, unknown>()
      byWork.set(work, known)
      // A kind of work is one object, so whatever waits under it has its types.
      const lanes = known as Map<string, Waiting<Needs, Item, Result>[]>
      return new Promise<Result>((resolve, reject) => {
        const waiting = lanes.get(lane)
        if (waiting !== undefined) {
          waiting.push({ needs, item, resolve, reject })
          return
        }
        const first = [{ needs, item, resolve, reject }]
        lanes.set(lane, first)
        void drain(work, first, () => lanes.delete(lane))
      })
    },
  }
}

interface Waiting<Needs, Item, Result> {
  readonly needs: Needs
  readonly item: Item
  resolve(result: Result): void
  reject(reason: unknown): void
}

/** Until nobody waits; `leave` is called in that same moment, so that nobody joins a lane that nobody drains. */
async function drain<Needs, Item, Result>(
  work: Work<Needs, Item, Result>,
  waiting: Waiting<Needs, Item, Result>[],
  leave: () => void,
): Promise<void> {
  for (let [first] = waiting; first !== undefined; [first] = waiting) {
    const batch = waiting.splice(0, work.itemsMax)
    try {
      const results = await work.run(
        first.needs,
        batch.map(({ item }) => item),
      )
      if (results.length !== batch.length) throw new Error('bug: a batch did not answer for each of its items')
      for (const [i, result] of results.entries()) batch[i]?.resolve(result)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  leave()
}
