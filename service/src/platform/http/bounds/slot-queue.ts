// Queues complete requests that wait for a worker slot: light senders first, each with a timeout.

import type { Sender, Shares, Taken } from '../../shares.ts'

export interface Visitor {
  readonly sender: Sender
  /** Whether the client no longer waits for the response. */
  isGone(): boolean
}

export interface SlotQueue {
  /** Takes a slot now, or returns a promise for when one is free. The caller releases the slot with `leave`. */
  enter(visitor: Visitor): Taken | Promise<Taken | 'gone'>
  leave(sender: Sender): void
}

interface Waiting extends Visitor {
  /** The number of the check at which this request times out. */
  readonly until: number
  readonly answer: (taken: Taken | 'gone') => void
}

/** How many checks there are within one timeout. */
const CHECKS = 10

/** Requests wait in a queue, because an immediate refusal would cause an immediate retry. */
export function createSlotQueue(
  slots: Shares,
  { patienceMs, light }: { readonly patienceMs: number; readonly light: number },
): SlotQueue {
  // A set keeps the order, and removing its first entry is cheap.
  const few = new Set<Waiting>()
  const many = new Set<Waiting>()
  /** The timeout is counted in checks, so that it needs no clock. */
  let checks = 0
  let isWatched = false

  function serve(queue: Set<Waiting>): void {
    for (const waiting of queue) {
      const taken = waiting.isGone() ? 'gone' : slots.take(waiting.sender, 1)
      if (taken === 'all_spent') return
      queue.delete(waiting)
      waiting.answer(taken)
    }
  }
  function dismissLate(): void {
    isWatched = false
    checks += 1
    for (const queue of [few, many]) {
      for (const waiting of queue) {
        if (waiting.until > checks) break
        queue.delete(waiting)
        waiting.answer('all_spent')
      }
    }
    watchPatience()
  }
  function watchPatience(): void {
    if (isWatched || few.size + many.size === 0) return
    isWatched = true
    setTimeout(dismissLate, patienceMs / CHECKS).unref()
  }
  return {
    enter(visitor) {
      const { sender } = visitor
      const isLight = slots.usedBy(sender.at(-1) ?? sender[0]) < light
      const queue = isLight ? few : many
      // A new request never overtakes requests in the queue.
      const taken = queue.size > 0 ? 'all_spent' : slots.take(sender, 1)
      if (taken !== 'all_spent') return taken
      return new Promise((answer) => {
        queue.add({ sender, isGone: () => visitor.isGone(), until: checks + CHECKS + 1, answer })
        watchPatience()
      })
    },
    leave(sender) {
      slots.give(sender, 1)
      serve(few)
      serve(many)
    },
  }
}
