// Opens a connection for each request. Each request is well-formed, exceeds the rate limit and ends its connection.

import { connect, type Socket } from 'node:net'
import type { AttackOptions, AttackReport } from '../attack-stage/attack.ts'
import { quietRow, watchBystander } from '../attack-stage/bystander.ts'

export const about = 'requests from one address, each on a new connection and in 64 chunks, 32 at once'

const AT_ONCE = 32
const REQUEST = Buffer.from(
  `POST /v1/devices/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n1\r\n'.repeat(64)}0\r\n\r\n`,
)

interface Tally {
  answers: number
  connections: number
  isOver: boolean
  readonly open: Set<Socket>
}

export async function run({ url, bystanderKey: key, seconds, cpu }: AttackOptions): Promise<AttackReport> {
  const quiet = await watchBystander({ url, key, seconds: seconds / 2 })
  const cpuBefore = cpu()
  const tally: Tally = { answers: 0, connections: 0, isOver: false, open: new Set() }
  const attackers = Array.from({ length: AT_ONCE }, () => attack(url, tally))
  const noticed = await watchBystander({ url, key, seconds })
  const cpuAfter = cpu()
  tally.isOver = true
  for (const socket of tally.open) socket.destroy()
  await Promise.all(attackers)
  return {
    ...quietRow(quiet),
    ...noticed,
    'connections made': tally.connections,
    'of them answered': tally.answers,
    'ms of CPU for each second': Math.round((cpuAfter - cpuBefore) / seconds),
  }
}

async function attack(url: string, tally: Tally): Promise<void> {
  const { hostname, port } = new URL(url)
  while (!tally.isOver) {
    const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.6.1' })
    tally.open.add(socket)
    // If the connection closes, its part of the attack ends. That is a result, not a failure.
    socket.on('error', () => undefined)
    socket.once('connect', () => {
      tally.connections += 1
    })
    socket.once('data', () => {
      tally.answers += 1
      socket.destroy()
    })
    socket.write(REQUEST)
    await new Promise<void>((resolve) => void socket.once('close', () => resolve()))
    tally.open.delete(socket)
  }
}
