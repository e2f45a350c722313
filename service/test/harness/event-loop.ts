// Counts turns of the event loop, for tests of how work is divided among them.

import type { TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'

/** Runs `work`, which learns the number of the turn. Between two readings of the clock that divides work pass `stepMs`. */
export async function withTurns(t: TestContext, stepMs: number, work: (turn: () => number) => Promise<unknown>) {
  // The turn that runs now has begun by the real clock.
  await setImmediate()
  let [turn, now, isOver] = [0, 0, false]
  const count = () => {
    turn += 1
    if (!isOver) void setImmediate().then(count)
  }
  const { mock } = t.mock.method(performance, 'now', () => (now += stepMs))
  void setImmediate().then(count)
  try {
    await work(() => turn)
  } finally {
    isOver = true
    mock.restore()
  }
}
