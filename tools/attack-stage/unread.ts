// Answers nobody reads: requests pipelined on connections that never read, while another merchant works.

import type { AttackOptions, AttackReport } from './attack.ts'
import { watchBystander } from './bystander.ts'
import { pipeline } from './pipeline.ts'

/** 63 kB of requests on each connection, renewed while the attack lasts. */
const REQUESTS = 1_900
const PATHS = ['/readyz', '/v1/usage', '/openapi.json'] as const
const RENEW_MS = 2_000

export const unreadAnswers =
  (connections: number) =>
  async ({ url, bystanderKey: key, seconds, memory }: AttackOptions): Promise<AttackReport> => {
    const before = memory()
    const open = () =>
      Promise.all(
        Array.from({ length: connections }, (_, at) =>
          pipeline({ url, from: '127.0.0.1', path: PATHS[at % PATHS.length] ?? '/readyz', count: REQUESTS }),
        ),
      )
    let sockets = await open()
    const renewing = setInterval(async () => {
      // Those that were ended come back; those still open stay as they are.
      const alive = sockets.filter((socket) => !socket.destroyed)
      if (alive.length === 0) sockets = await open()
    }, RENEW_MS)
    try {
      const noticed = await watchBystander({ url, key, seconds })
      const held = sockets.filter((socket) => !socket.destroyed).length
      return { ...noticed, 'connections still held': held, ...memoryRows(before, memory()) }
    } finally {
      clearInterval(renewing)
      for (const socket of sockets) socket.destroy()
    }
  }

export function memoryRows(before: number | null, after: number | null): AttackReport {
  if (before === null || after === null) return {}
  return { 'memory before MiB': Math.round(before), 'memory during MiB': Math.round(after) }
}
