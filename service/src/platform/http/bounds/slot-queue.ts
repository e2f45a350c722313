// Where requests wait that have arrived whole while all slots at work are taken: in the order in which they came, those first who
// hold little, and none longer than its patience. Refusing them at once would have them come again at once, and a process that is busy
// refusing serves nobody.

import type { Sender, Shares, Taken } from '../../shares.ts'

export interface Visitor {
  readonly sender: Sender
  /** Nobody waits for its answer any more. */
  isGone(): boolean
}

export interface SlotQueue {
  /** Takes a slot, now or when one is free; whoever takes it gives it back with `leave`. */
  enter(visitor: Visitor): Promise<Taken | 'gone'>
  leave(sender: Sender): void
}

interface Waiting extends Visitor {
  /** The look at which its patience is over. */
  readonly until: number
  readonly answer: (taken: Taken | 'gone') => void
}

/** Within the patience of one. */
const LOOKS = 10

export function createSlotQueue(
  slots: Shares,
  { patienceMs, light }: { readonly patienceMs: number; readonly light: number },
): SlotQueue {
  // A set keeps the order, and whoever is first leaves it at no cost.
  const few = new Set<Waiting>()
  const many = new Set<Waiting>()
  /** Patience is counted in looks, which need no clock. */
  let looks = 0
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
    looks += 1
    for (const queue of [few, many]) {
      for (const waiting of queue) {
        if (waiting.until > looks) break
        queue.delete(waiting)
        waiting.answer('all_spent')
      }
    }
    watchPatience()
  }
  function watchPatience(): void {
    if (isWatched || few.size + many.size === 0) return
    isWatched = true
    setTimeout(dismissLate, patienceMs / LOOKS).unref()
  }
  return {
    async enter(visitor) {
      const { sender } = visitor
      const isLight = slots.heldBy(sender.at(-1) ?? sender[0]) < light
      const queue = isLight ? few : many
      // Nobody overtakes those who wait already.
      const taken = queue.size > 0 ? 'all_spent' : slots.take(sender, 1)
      if (taken !== 'all_spent') return taken
      return new Promise((answer) => {
        queue.add({ sender, isGone: () => visitor.isGone(), until: looks + LOOKS + 1, answer })
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
