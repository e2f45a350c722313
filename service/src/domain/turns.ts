// So many at once, so many waiting for their turn, and nobody beyond that.

export interface Turns {
  /** Runs the work when its turn has come; null where too many wait already. */
  take<T>(work: () => Promise<T>): Promise<T> | null
}

export function createTurns(bound: { readonly atOnce: number; readonly waiting: number }): Turns {
  const queue: (() => void)[] = []
  let running = 0
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } finally {
      const next = queue.shift()
      // The slot goes to whoever waits longest; nobody who comes now can take it from them.
      if (next === undefined) running -= 1
      else next()
    }
  }
  return {
    take(work) {
      if (running < bound.atOnce) {
        running += 1
        return run(work)
      }
      if (queue.length >= bound.waiting) return null
      return new Promise<void>((resolve) => void queue.push(resolve)).then(() => run(work))
    },
  }
}
