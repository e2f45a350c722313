// What whole flows cost: the time of their requests, and of the thread that serves them.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fire } from './volley.ts'

export const CONNECTIONS = 32

export interface FlowFigure {
  readonly perSecond: number
  /** Of the thread that serves; the client has another one, PostgreSQL its own processes. */
  readonly cpuMs: number
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

export function stopwatch() {
  let milliseconds = 0
  let cpuMicros = 0
  return {
    async fire(port: number, requests: readonly string[]): Promise<readonly string[]> {
      // What the wallets of the bench left behind, in this same process, is not the service's to clear away.
      collectGarbage()
      const before = process.threadCpuUsage()
      const done = await fire({ port, connections: CONNECTIONS, requests })
      const { user, system } = process.threadCpuUsage(before)
      milliseconds += done.milliseconds
      cpuMicros += user + system
      return done.bodies
    },
    figure: (flows: number): FlowFigure => ({
      perSecond: flows / (milliseconds / 1000),
      cpuMs: cpuMicros / 1000 / flows,
    }),
  }
}
