// Waits with a limit. The error says what did not happen. `npm run check` refuses other waits in tests.

import type { ChildProcess } from 'node:child_process'
import { type EventEmitter, once as onceUnbounded } from 'node:events'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'

/** Two minutes: for events that never happen, not for slow ones on a busy machine. */
const TIMEOUT_MS = 120_000
/** This many checks run without a pause. Later checks wait, to leave the CPU to the awaited work. */
const QUICK_CHECKS = 20
/** Waits grow by a tenth. At most 20 checks a second, because a check that is a request must not use up rates. */
const SHARE_BETWEEN_CHECKS = 0.1
const BETWEEN_CHECKS_MS = { min: 2, max: 50 }

/** Checks repeatedly until the condition holds. `what` completes "waited two minutes until …". */
export async function waitUntil(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const began = performance.now()
  // bounded: by timeoutMs.
  for (let checks = 1; !(await holds()); checks += 1) {
    const waited = performance.now() - began
    if (waited > timeoutMs) throw new Error(`waited ${timeoutMs / 1000} s until ${what}`)
    const pause = Math.min(Math.max(waited * SHARE_BETWEEN_CHECKS, BETWEEN_CHECKS_MS.min), BETWEEN_CHECKS_MS.max)
    await (checks < QUICK_CHECKS ? nextTurn() : delay(pause))
  }
}

/** Returns the promise's value. `what` completes "waited two minutes until …". */
export async function within<T>(what: string, promise: Promise<T>, timeoutMs = TIMEOUT_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`waited ${timeoutMs / 1000} s until ${what}`)), timeoutMs)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves with how a process ends. It has no limit, because a process may run as long as its test: callers use `within`. */
export const endOf = (child: ChildProcess, event: 'exit' | 'close' = 'exit') =>
  new Promise<{ readonly code: number | null; readonly signal: string | null }>((resolve) => {
    child.once(event, (code, signal) => resolve({ code, signal }))
  })

/** Returns the next event of that name, like `once` of node:events; an "error" of the emitter rejects. */
export async function once(emitter: EventEmitter, event: string): ReturnType<typeof onceUnbounded> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), TIMEOUT_MS).unref()
  try {
    return await onceUnbounded(emitter, event, { signal: late.signal })
  } catch (error) {
    if (!late.signal.aborted) throw error
    throw new Error(`waited ${TIMEOUT_MS / 1000} s for "${event}" of ${emitter.constructor.name}`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
