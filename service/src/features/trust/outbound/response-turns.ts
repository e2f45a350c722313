// Orders the lists of one response: limits parallel fetches, and parses one list at a time.

import type { ListBudget } from '@vidimus/engine'

/** Limits parallel fetches of one response, and refuses to start one too late. */
export function createResponseSlots({
  atOnce,
  beginWithinMs,
}: {
  readonly atOnce: number
  readonly beginWithinMs: number
}) {
  const byResponse = new WeakMap<
    ListBudget,
    { readonly beganAt: number; running: number; readonly queue: (() => void)[] }
  >()
  return {
    async run<T>(response: ListBudget, { work, refuse }: { work(): Promise<T>; refuse(): T }): Promise<T> {
      const turns = byResponse.get(response) ?? { beganAt: performance.now(), running: 0, queue: [] }
      byResponse.set(response, turns)
      if (turns.running < atOnce) turns.running += 1
      else await new Promise<void>((resolve) => void turns.queue.push(resolve))
      try {
        return performance.now() - turns.beganAt > beginWithinMs ? refuse() : await work()
      } finally {
        const next = turns.queue.shift()
        if (next === undefined) turns.running -= 1
        else next()
      }
    },
  }
}

export type InTurn = <T>(response: ListBudget, read: () => Promise<T>) => Promise<T>

/** Parses the lists of one response in turn, so that the cost of each is known before the next starts. */
export function createReadingTurns(): InTurn {
  const last = new WeakMap<ListBudget, Promise<unknown>>()
  return (response, read) => {
    const reading = (last.get(response) ?? Promise.resolve()).then(read, read)
    last.set(response, reading)
    return reading
  }
}
