// Where requests wait that have arrived whole while all slots at work are taken: in the order in which they came, those first who
// hold little, and none longer than its patience. Refusing them at once would have them come again at once, and a process that is busy
// refusing serves nobody.

import type { Sender, Shares, Taken } from '../../domain/shares.ts'

export interface Visitor {
  readonly sender: Sender
  /** Nobody waits for its answer any more. */
  isGone(): boolean
}

export interface WaitingRoom {
  /** Takes a slot, now or when one is free; whoever takes it gives it back with `leave`. */
  enter(visitor: Visitor): Promise<Taken | 'gone'>
  leave(sender: Sender): void
}

interface Waiting extends Visitor {
  readonly until: number
  readonly answer: (taken: Taken | 'gone') => void
}

export function createWaitingRoom(
  slots: Shares,
  { now, patienceMs, light }: { readonly now: () => number; readonly patienceMs: number; readonly light: number },
): WaitingRoom {
  // A set keeps the order, and whoever is first leaves it at no cost.
  const few = new Set<Waiting>()
  const many = new Set<Waiting>()
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
    const at = now()
    for (const queue of [few, many]) {
      for (const waiting of queue) {
        if (waiting.until > at) break
        queue.delete(waiting)
        waiting.answer('all_spent')
      }
    }
    watchPatience()
  }
  function watchPatience(): void {
    if (isWatched || few.size + many.size === 0) return
    isWatched = true
    setTimeout(dismissLate, patienceMs / 10).unref()
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
        queue.add({ sender, isGone: () => visitor.isGone(), until: now() + patienceMs, answer })
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
