// /healthz on a port of its own, answered by a thread of its own: however much waits for the event loop, whoever asks whether the
// process lives is answered at once. The loop leaves a heartbeat; without one the process hangs, and the thread says so.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

const BEAT_MS = 500
const HANGS_MS = 20_000

export interface HealthPort {
  /** Where it listens. */
  readonly port: number
  stop(): Promise<void>
}

/** What the thread is given. */
export interface HealthOrder {
  readonly host: string
  readonly port: number
  /** A loop that has not turned for so long hangs; below it, it is busy. */
  readonly hangsMs: number
  /** Of one bigint: when the loop last turned, by the clock of `process.hrtime`. */
  readonly beat: SharedArrayBuffer
}

/** Rejects where the port cannot be had. */
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
    // The environment holds secrets that it has no use for.
    env: {},
  })
  const [port] = (await once(thread, 'message')) as [number]
  thread.unref()
  const beating = setInterval(turn, BEAT_MS)
  beating.unref()
  return {
    port,
    async stop() {
      clearInterval(beating)
      await thread.terminate()
    },
  }
}
