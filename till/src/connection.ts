// Tracks whether the service is reachable: every request reports it, and while it is not, `/healthz` is polled.

const ASK_AGAIN_MS = 3_000
const ANSWER_WITHIN_MS = 8_000

export interface Connection {
  /** The browser's `fetch`, which also updates the state. */
  readonly fetch: typeof globalThis.fetch
  isUp(): boolean
}

export function watchConnection(onChange: (up: boolean) => void): Connection {
  let up = true
  let timer: ReturnType<typeof setTimeout> | undefined

  function note(answered: boolean): void {
    clearTimeout(timer)
    if (!answered) timer = setTimeout(() => void look(), ASK_AGAIN_MS)
    if (answered === up) return
    up = answered
    onChange(up)
  }

  async function watched(...parameters: Parameters<typeof globalThis.fetch>): Promise<Response> {
    try {
      const response = await globalThis.fetch(...parameters)
      note(true)
      return response
    } catch (error) {
      note(false)
      throw error
    }
  }

  /** Polls `/healthz`. Any answer means that the service is up. `watched` has already recorded a failure. */
  async function look(): Promise<void> {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
    await watched('/healthz', { signal, cache: 'no-store', credentials: 'omit' }).catch(() => undefined)
  }

  addEventListener('offline', () => note(false))
  addEventListener('online', () => void look())
  return { fetch: watched, isUp: () => up }
}
