// When the process is told to stop. From the first signal on it has so long, whatever it is doing: also a start that waits for a
// store that does not answer.

/** From the first signal to the exit, at most: what is not done by then is cut off, and loses nothing that was acknowledged. */
export const STOP_MS_MAX = 10_000
/**
 * Ctrl-C in a terminal brings two at once, the terminal's and npm's: they are one. A later one is somebody who will not wait;
 * an embedded PostgreSQL is then left running, for the next start to adopt.
 */
const AGAIN_AFTER_MS = 2_000

/** By convention 128 and the number of the signal. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/** Aborted at the first signal, whose name is the reason. Heard for as long as the process lives: a signal nobody hears ends it at once. */
export function hearStopSignals(): AbortSignal {
  const stopping = new AbortController()
  let firstAtMs = 0
  for (const [signal, exitCode] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      const nowMs = performance.now()
      if (stopping.signal.aborted) {
        if (nowMs - firstAtMs >= AGAIN_AFTER_MS) process.exit(exitCode)
        return
      }
      firstAtMs = nowMs
      // It keeps nobody: a process that has nothing left to do ends before.
      setTimeout(() => process.exit(1), STOP_MS_MAX).unref()
      stopping.abort(signal)
    })
  }
  return stopping.signal
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
}
