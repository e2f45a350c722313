// Decides when to read a verification's status: on events of its stream, or by polling with backoff and jitter.

export interface WakeUps {
  /** Waits until the end, the next poll or an abort. `slow` lengthens the pause without events. */
  wait(pause?: { readonly slow?: number; readonly leastMs?: number }): Promise<void>
}

const FIRST_PAUSE_MS = 1_500
const PAUSE_MS_MAX = 5_000
const GROWTH = 1.25
/** The service sends a heartbeat every 25 seconds. */
const SILENCE_MS = 60_000

const OPEN_STEPS: ReadonlySet<string> = new Set(['waiting', 'fetched', 'checking'])

/** `url` is that of the verification's stream, `…/verify/ver_…/events`. `onStep` gets the steps before the end. */
export function openWakeUps(url: string, signal: AbortSignal, onStep?: (step: string) => void): WakeUps {
  let pauseMs = FIRST_PAUSE_MS
  let hears = false
  /** The waiting caller; null: none, so the next one is woken immediately. */
  let waiting: (() => void) | null = null
  let woken = false
  let clock: ReturnType<typeof setTimeout> | undefined
  let events: EventSource | undefined

  function wake(): void {
    if (waiting === null) woken = true
    else waiting()
  }
  /** Retries a stream that is refused or silent later. */
  function open(): void {
    const stream = new EventSource(url)
    events = stream
    const alive = () => {
      hears = true
      pauseMs = FIRST_PAUSE_MS
      wait(() => {
        stream.close()
        fallSilent()
        open()
      })
    }
    stream.addEventListener('beat', alive)
    stream.addEventListener('message', ({ data }) => {
      alive()
      if (OPEN_STEPS.has(data)) onStep?.(data)
      else wake()
    })
    stream.addEventListener('error', () => {
      fallSilent()
      // The browser reconnects by itself.
      if (stream.readyState === EventSource.CLOSED) wait(open)
    })
  }
  /** Wakes callers that relied on events, so that they poll. */
  function fallSilent(): void {
    if (!hears) return
    hears = false
    wake()
  }
  function wait(then: () => void): void {
    clearTimeout(clock)
    clock = setTimeout(then, apart(SILENCE_MS))
  }

  if (typeof EventSource !== 'undefined' && !signal.aborted) open()
  signal.addEventListener('abort', () => {
    clearTimeout(clock)
    events?.close()
    wake()
  })
  return {
    wait: ({ slow = 1, leastMs = 0 } = {}) =>
      new Promise((resolve) => {
        const timer = hears ? undefined : setTimeout(wake, Math.max(leastMs, apart(pauseMs * slow)))
        pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * GROWTH)
        waiting = () => {
          clearTimeout(timer)
          waiting = null
          woken = false
          resolve()
        }
        if (woken || signal.aborted) waiting()
      }),
  }
}

function apart(milliseconds: number): number {
  const [chance = 0] = crypto.getRandomValues(new Uint8Array(1))
  return milliseconds * (0.75 + chance / 512)
}
