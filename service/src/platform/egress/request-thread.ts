// Sends requests from a worker thread, to hosts that others choose.

import { SHARE_ENV, Worker } from 'node:worker_threads'
import type { Environment } from '../world.ts'
import { type Egress, LIMITS, type RequestEnded, type RequestOptions } from './client.ts'
import { failed, type Outcome, THREAD_LOST } from './outcome.ts'

/**
 * A socket's whole read is parsed before a limit can apply, and the event loop must not wait for that. If the thread
 * dies or hangs, its requests fail, and the next request starts another thread.
 */
export interface RequestThread {
  /** Like `request`, under the same policy. Rejects only with the reason of `stopped`. */
  request(environment: Environment, options: RequestOptions, stopped?: AbortSignal): Promise<ThreadOutcome>
  close(): Promise<void>
}

interface ThreadOutcome {
  readonly outcome: Outcome
  /** How much of the body arrived, even if it was too long or broke off. */
  readonly bodyBytes: number
  /** How many bytes of a failed TLS handshake arrived; 0: it succeeded, or nothing arrived. */
  readonly handshakeBytes: number
}

/** The egress of an environment, as plain data. */
export type ThreadSettings = Readonly<Record<Environment, Pick<Egress, 'policy' | 'dnsServers' | 'extraCa'>>>

export interface ThreadOrder {
  readonly id: number
  readonly environment: Environment
  /** null: the request with this id is cancelled. */
  readonly options: RequestOptions | null
}

export interface ThreadReply extends ThreadOutcome {
  readonly id: number
}

export interface ThreadOptions {
  readonly workerUrl?: URL
  readonly graceMs?: number
  /** Called with the reason why requests were lost, which has nothing from the requests. */
  readonly report?: (problem: string) => void
}

/** The thread's JavaScript heap, for the body parts of all concurrent requests. Their bytes are not in the heap. */
const HEAP_MB = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
/** How much longer than a request's time limit the thread may take to answer. Includes the start of the thread. */
const GRACE_MS = 5_000

/** The outcome of requests in a thread that ended. Blames no host, because the cause is unknown. */
const LOST: ThreadOutcome = { outcome: failed('timeout', THREAD_LOST), bodyBytes: 0, handshakeBytes: 0 }

export function createRequestThread(
  egress: Readonly<Record<Environment, Egress>>,
  options: ThreadOptions = {},
): RequestThread {
  const workerUrl = options.workerUrl ?? new URL('./request-worker.ts', import.meta.url)
  const { graceMs = GRACE_MS, report = () => undefined } = options
  /** Started by the first request. */
  let worker: Worker | null = null
  const waiting = new Map<number, (outcome: ThreadOutcome) => void>()
  let requests = 0
  let isClosed = false

  function send(environment: Environment, request: RequestOptions, stopped?: AbortSignal): Promise<ThreadOutcome> {
    if (isClosed) return Promise.resolve(LOST)
    requests += 1
    const id = requests
    const withinMs = (request.limits?.totalMilliseconds ?? LIMITS.totalMilliseconds) + graceMs
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => discard('it hangs'), withinMs)
      const cancel = () => {
        reject(stopped?.reason)
        worker?.postMessage({ id, environment, options: null } satisfies ThreadOrder)
        waiting.get(id)?.(LOST)
      }
      stopped?.addEventListener('abort', cancel, { once: true })
      waiting.set(id, (outcome) => {
        clearTimeout(timer)
        stopped?.removeEventListener('abort', cancel)
        waiting.delete(id)
        if (waiting.size === 0) worker?.unref()
        resolve(outcome)
      })
      try {
        worker ??= start()
        worker.ref()
        worker.postMessage({ id, environment, options: withOwnBody(request) } satisfies ThreadOrder)
      } catch {
        discard('it cannot be started')
      }
    })
  }

  function start(): Worker {
    const started = new Worker(workerUrl, {
      workerData: { test: settingsOf(egress.test), live: settingsOf(egress.live) } satisfies ThreadSettings,
      resourceLimits: HEAP_MB,
      // Which authorities Node trusts depends on the environment (NODE_EXTRA_CA_CERTS, NODE_USE_SYSTEM_CA).
      env: SHARE_ENV,
      stdout: false,
      stderr: false,
    })
    const isCurrent = () => worker === started
    started.on('message', ({ id, ...done }: ThreadReply) => waiting.get(id)?.(done))
    started.on('error', () => isCurrent() && discard('it failed'))
    started.on('exit', () => isCurrent() && discard('it ended'))
    return started
  }

  function discard(problem: string): void {
    const lost = worker
    worker = null
    void lost?.terminate()
    if (waiting.size > 0 && !isClosed) report(problem)
    for (const settle of [...waiting.values()]) settle(LOST)
  }

  return {
    async request(environment, request, stopped) {
      const sentAt = performance.now()
      let outcome: RequestEnded['outcome'] = 'called_off'
      try {
        const done = await send(environment, request, stopped)
        outcome = done.outcome.outcome
        return done
      } finally {
        egress[environment].onEnd?.({ method: request.method, outcome, sentAt, tookMs: performance.now() - sentAt })
      }
    },
    async close() {
      isClosed = true
      const last = worker
      discard('it is closed')
      await last?.terminate()
    },
  }
}

/** The same egress with requests that the thread sends. */
export function sendFromThread(
  egress: Readonly<Record<Environment, Egress>>,
  thread: RequestThread,
): Readonly<Record<Environment, Egress>> {
  const of = (environment: Environment): Egress => ({
    ...egress[environment],
    send: async (options, stopped) => (await thread.request(environment, options, stopped)).outcome,
  })
  return { test: of('test'), live: of('live') }
}

/** Copies the body if it is a view, because postMessage would copy the whole buffer. */
function withOwnBody(request: RequestOptions): RequestOptions {
  const { body } = request
  return body === undefined || body.byteLength === body.buffer.byteLength
    ? request
    : { ...request, body: new Uint8Array(body) }
}

const settingsOf = ({ policy, dnsServers, extraCa }: Egress) => ({ policy, dnsServers, extraCa })
