// Sends the heartbeats of all streams with one timer, so that proxies keep idle connections open.

import { goInTurn } from '../../../platform/event-loop/in-turn.ts'

/** Less than the minute after which most proxies close a connection. */
const BEAT_EVERY_MS = 25_000
const LOOK_EVERY_MS = 1_000

interface Heartbeats {
  /** Returns a function that stops the heartbeats. */
  add(beat: () => void): () => void
  close(): void
}

export function createHeartbeats(now: () => number): Heartbeats {
  /** Sorted by due time. */
  const due = new Map<() => void, number>()
  const timer = setInterval(() => {
    const at = now()
    for (const [beat, dueAt] of due) {
      if (dueAt > at) break
      due.delete(beat)
      due.set(beat, at + BEAT_EVERY_MS)
      // Not if it has been stopped while others had their turn.
      goInTurn('heartbeats', () => {
        if (due.has(beat)) beat()
      })
    }
  }, LOOK_EVERY_MS).unref()
  return {
    add(beat) {
      due.set(beat, now() + BEAT_EVERY_MS)
      return () => void due.delete(beat)
    },
    close: () => clearInterval(timer),
  }
}
