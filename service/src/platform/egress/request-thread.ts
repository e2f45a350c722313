// Sends requests from a worker thread, for hosts that strangers choose. What a host sends in one read of its socket is
// parsed (TLS records, HTTP chunks) before any limit can end it, and the event loop must not wait for that.
// If the thread dies or hangs, all its requests fail, and the next one starts another thread.

import { SHARE_ENV, Worker } from 'node:worker_threads'
import type { Environment } from '../world.ts'
import { type Egress, LIMITS, type RequestOptions } from './client.ts'
import { failed, type Outcome, THREAD_LOST } from './outcome.ts'

export interface RequestThread {
  /** As `request` does it, under the same policy. Never rejects. */
  request(environment: Environment, options: ThreadRequest): Promise<ThreadOutcome>
  close(): Promise<void>
}

/** What can be copied into a thread. */
type ThreadRequest = Omit<RequestOptions, 'onBodyBytes' | 'onHandshakeBytes'>

interface ThreadOutcome {
  readonly outcome: Outcome
  /** How much of the body arrived, also if it was too long or broke off. */
  readonly bodyBytes: number
  /** How much of a TLS handshake arrived that did not succeed; 0: it succeeded, or nothing arrived. */
  readonly handshakeBytes: number
}

/** The egress of an environment, as plain data. */
export type ThreadSettings = Readonly<Record<Environment, Pick<Egress, 'policy' | 'dnsServers' | 'extraCa'>>>

export interface ThreadOrder {
  readonly id: number
  readonly environment: Environment
  readonly options: ThreadRequest
}

export interface ThreadReply extends ThreadOutcome {
  readonly id: number
}

export interface ThreadOptions {
  readonly workerUrl?: URL
  readonly graceMs?: number
  /** Called with the reason why requests were lost; it holds nothing of them. */
  readonly report?: (problem: string) => void
}

/** Its JavaScript heap: the parts of the bodies of all requests at once. Their bytes are outside the heap. */
const HEAP_MB = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
/** How much later than its own time limit a request must be answered by the thread; its start is part of that. */
const GRACE_MS = 5_000

/** How a request ends whose thread ended: which host caused that is not known, so it says nothing about this one. */
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

  function send(environment: Environment, asked: ThreadRequest): Promise<ThreadOutcome> {
    if (isClosed) return Promise.resolve(LOST)
    requests += 1
    const id = requests
    const withinMs = (asked.limits?.totalMilliseconds ?? LIMITS.totalMilliseconds) + graceMs
    return new Promise((resolve) => {
      const timer = setTimeout(() => discard('it hangs'), withinMs)
      waiting.set(id, (outcome) => {
        clearTimeout(timer)
        waiting.delete(id)
        if (waiting.size === 0) worker?.unref()
        resolve(outcome)
      })
      try {
        worker ??= start()
        worker.ref()
        worker.postMessage({ id, environment, options: asked } satisfies ThreadOrder)
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
    async request(environment, asked) {
      const sentAt = performance.now()
      const done = await send(environment, asked)
      const { outcome } = done.outcome
      egress[environment].onEnd?.({ method: asked.method, outcome, sentAt, tookMs: performance.now() - sentAt })
      return done
    },
    async close() {
      isClosed = true
      const last = worker
      discard('it is closed')
      await last?.terminate()
    },
  }
}

const settingsOf = ({ policy, dnsServers, extraCa }: Egress) => ({ policy, dnsServers, extraCa })
