// So many at once, so many waiting for their turn, of whom nobody fills the queue alone, and nobody beyond that.

import { createShares, type Sender, type ShareBound } from './shares.ts'

export interface Turns {
  /** Runs the work when its turn has come; null where too many wait already, of the same sender or in all. */
  take<T>(who: Sender, work: () => Promise<T>): Promise<T> | null
}

export function createTurns(bound: { readonly atOnce: number; readonly waiting: ShareBound }): Turns {
  const queue: (() => void)[] = []
  const waiting = createShares(bound.waiting)
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
    take(who, work) {
      if (running < bound.atOnce) {
        running += 1
        return run(work)
      }
      if (waiting.take(who, 1) !== 'taken') return null
      return new Promise<void>((resolve) => void queue.push(resolve)).then(() => {
        waiting.give(who, 1)
        return run(work)
      })
    },
  }
}
