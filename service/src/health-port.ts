// Serves /healthz on its own port and thread. Reports a hanging event loop if its heartbeat stops.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

const HANGS_MS = 20_000

export interface HealthPort {
  /** The port it listens on. */
  readonly port: number
  stop(): Promise<void>
}

/** What the thread receives at start. */
export interface HealthOrder {
  readonly host: string
  readonly port: number
  /** Without a heartbeat for this long, the loop counts as hanging. Until then it is only busy. */
  readonly hangsMs: number
  /** Holds one bigint: the last heartbeat of the loop, by the clock of `process.hrtime`. */
  readonly beat: SharedArrayBuffer
}

/** Rejects if the port is not available. */
export async function openHealthPort(
  at: { readonly host: string; readonly port: number },
  hangsMs = HANGS_MS,
): Promise<HealthPort> {
  const beat = new SharedArrayBuffer(8)
  const heart = new BigInt64Array(beat)
  const turn = () => void Atomics.store(heart, 0, process.hrtime.bigint())
  turn()
  const thread = new Worker(new URL('./health-thread.ts', import.meta.url), {
    workerData: { ...at, beat, hangsMs } satisfies HealthOrder,
    // The thread needs none of the secrets in the environment.
    env: {},
  })
  const [port] = (await once(thread, 'message')) as [number]
  thread.unref()
  const beating = setInterval(turn, hangsMs / 10)
  beating.unref()
  return {
    port,
    async stop() {
      clearInterval(beating)
      await thread.terminate()
    },
  }
}
