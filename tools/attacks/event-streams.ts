// Opens event streams with all keys of one tenant, then a stream of another tenant.

import { connect, type Socket } from 'node:net'
import type { AttackOptions, AttackReport } from '../attack-stage/attack.ts'

export const about = "streams of events on all of one tenant's keys, then one of another tenant"

export async function run({ url, bystanderKey, attackerKeys }: AttackOptions): Promise<AttackReport> {
  const sockets: Socket[] = []
  try {
    let open = 0
    for (const key of attackerKeys) if ((await listen(url, key, sockets)) === 200) open += 1
    const other = await listen(url, bystanderKey, sockets)
    return { 'streams of one tenant': open, "answer to another tenant's stream": other }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** The status of the answer; 0 if there was none. */
function listen(url: string, key: string, sockets: Socket[]): Promise<number> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.1' })
  sockets.push(socket)
  socket.write(`GET /dev/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  return new Promise((resolve) => {
    socket.setEncoding('utf8').once('data', (text: string) => resolve(Number(text.slice(9, 12))))
    socket.once('error', () => resolve(0)).once('close', () => resolve(0))
  })
}
