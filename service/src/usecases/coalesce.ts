// Work that meets is done together: while a lane's batch runs, what arrives gathers and goes with the next one.
// One batch a lane at a time, so that a tenant's hot rows are taken once a batch and not once a request.

export interface Coalescer<Item, Result> {
  add(lane: string, item: Item): Promise<Result>
}

interface Waiting<Item, Result> {
  readonly item: Item
  resolve(result: Result): void
  reject(reason: unknown): void
}

/** `run` answers for each item, in order; when it rejects, so do all of its batch. */
export function createCoalescer<Item, Result>(
  itemsMax: number,
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): Coalescer<Item, Result> {
  const lanes = new Map<string, Waiting<Item, Result>[]>()

  async function drain(lane: string, waiting: Waiting<Item, Result>[]): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, itemsMax)
      try {
        const results = await run(batch.map(({ item }) => item))
        if (results.length !== batch.length) throw new Error('bug: a batch did not answer for each of its items')
        for (const [i, result] of results.entries()) batch[i]?.resolve(result)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    lanes.delete(lane)
  }

  return {
    add(lane, item) {
      return new Promise((resolve, reject) => {
        const running = lanes.get(lane)
        if (running !== undefined) {
          running.push({ item, resolve, reject })
          return
        }
        const waiting = [{ item, resolve, reject }]
        lanes.set(lane, waiting)
        void drain(lane, waiting)
      })
    },
  }
}
