// Measures whole flows: the time of their requests, and the CPU time of the service and of its store.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readStoreMicros } from './store-cpu.ts'
import { fire } from './volley.ts'

export const CONNECTIONS = 32

export interface FlowFigure {
  readonly perSecond: number
  /** CPU time of the serving thread only. */
  readonly cpuMs: number
  /** CPU time of the whole process without the client, including threads that sign or collect garbage. */
  readonly serviceMs: number
  /** CPU time of PostgreSQL and all its processes. */
  readonly storeMs: number
  /** The 99th percentile of the time that all requests of one flow take together. */
  readonly p99Ms: number
}

export interface Stopwatch {
  fire(port: number, requests: readonly string[]): Promise<readonly string[]>
  figure(flows: number): FlowFigure
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

export function stopwatch(store: number, connections = CONNECTIONS): Stopwatch {
  let milliseconds = 0
  let threadMicros = 0
  let serviceMicros = 0
  let ofStore = 0
  const latencies: number[] = []
  return {
    async fire(port, requests) {
      // Collects the garbage of the bench's wallets first, so that the service's figure does not contain it.
      collectGarbage()
      const storeBefore = readStoreMicros(store)
      const threadBefore = process.threadCpuUsage()
      const processBefore = process.cpuUsage()
      const done = await fire({ port, connections, requests })
      const ofThread = process.threadCpuUsage(threadBefore)
      const ofProcess = process.cpuUsage(processBefore)
      ofStore += readStoreMicros(store) - storeBefore
      milliseconds += done.milliseconds
      threadMicros += ofThread.user + ofThread.system
      serviceMicros += ofProcess.user + ofProcess.system - done.cpuMicros
      for (const [i, ms] of done.latencies.entries()) latencies[i] = (latencies[i] ?? 0) + ms
      return done.bodies
    },
    figure: (flows) => ({
      perSecond: flows / (milliseconds / 1000),
      cpuMs: threadMicros / 1000 / flows,
      serviceMs: serviceMicros / 1000 / flows,
      storeMs: ofStore / 1000 / flows,
      p99Ms: latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    }),
  }
}
