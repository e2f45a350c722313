// Handles stop signals. The first signal starts a deadline, even while the process is starting.

/**
 * The maximum time from the first signal to the exit. Then unfinished work is aborted; nothing acknowledged is lost.
 */
export const STOP_MS_MAX = 10_000
/**
 * Ctrl-C in a terminal sends two signals, from the terminal and from npm, which count as one. A later signal ends the
 * process at once. An embedded PostgreSQL then keeps running, and the next start adopts it.
 */
const AGAIN_AFTER_MS = 2_000

/** Exit codes: by convention 128 plus the number of the signal. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Aborts at the first signal, with the signal's name as reason. The handlers stay, because an unhandled signal would
 * end the process at once.
 */
export function watchStopSignals(): AbortSignal {
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
      // The timer must not keep the process alive when nothing is left to do.
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
