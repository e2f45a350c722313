// Runs a fixed number of tasks at a time and queues a fixed number. No single sender can fill the queue.

import { createShares, type Sender, type ShareBound } from './shares.ts'

export interface Turns {
  /** Runs the work when a slot is free. null if too many wait already, from this sender or in total. */
  take<T>(sender: Sender, work: () => Promise<T>): Promise<T> | null
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
      // The slot goes to the longest waiter, so that a newcomer cannot take it first.
      if (next === undefined) running -= 1
      else next()
    }
  }
  return {
    take(sender, work) {
      if (running < bound.atOnce) {
        running += 1
        return run(work)
      }
      if (waiting.take(sender, 1) !== 'taken') return null
      return new Promise<void>((resolve) => void queue.push(resolve)).then(() => {
        waiting.give(sender, 1)
        return run(work)
      })
    },
  }
}
