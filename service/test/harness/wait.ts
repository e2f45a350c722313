// Waits with a bound, whose failure says what did not happen. `npm run check` refuses other waits in tests.

import type { ChildProcess } from 'node:child_process'
import { type EventEmitter, once as onceUnbounded } from 'node:events'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'

/** Two minutes: for what never happens, not for what is slow on a busy machine. */
const PATIENCE_MS = 120_000
/** So many looks follow each other at once; after that the processor is left to whoever is waited for. */
const QUICK_LOOKS = 20
const BETWEEN_LOOKS_MS = 2

/** Looks again and again until the condition holds. `what` completes "waited two minutes until …". */
export async function waitUntil(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const end = performance.now() + patienceMs
  // bounded: by the time that is left.
  for (let looks = 1; !(await holds()); looks += 1) {
    if (performance.now() > end) throw new Error(`waited ${patienceMs / 1000} s until ${what}`)
    await (looks < QUICK_LOOKS ? nextTurn() : delay(BETWEEN_LOOKS_MS))
  }
}

/** The promise's value. `what` completes "waited two minutes until …". */
export async function within<T>(what: string, promise: Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`waited ${patienceMs / 1000} s until ${what}`)), patienceMs)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** How a process ends. No wait, for it may run as long as its test: whoever awaits it does so with `within`. */
export const endOf = (child: ChildProcess, event: 'exit' | 'close' = 'exit') =>
  new Promise<{ readonly code: number | null; readonly signal: string | null }>((resolve) => {
    child.once(event, (code, signal) => resolve({ code, signal }))
  })

/** The next event of that name, as `once` of node:events gives it; an "error" of the emitter rejects. */
export async function once(emitter: EventEmitter, event: string): ReturnType<typeof onceUnbounded> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), PATIENCE_MS).unref()
  try {
    return await onceUnbounded(emitter, event, { signal: late.signal })
  } catch (error) {
    if (!late.signal.aborted) throw error
    throw new Error(`waited ${PATIENCE_MS / 1000} s for "${event}" of ${emitter.constructor.name}`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
