// Sends pipelined requests with an unknown `Expect` header, and reconnects at once. They must not bypass the limits.

import { connect, type Socket } from 'node:net'
import type { AttackOptions, AttackReport } from '../attack-stage/attack.ts'
import { quietRow, watchBystander } from '../attack-stage/bystander.ts'

export const about = 'pipelined requests with an unknown Expect on 32 connections that reconnect when they end'

const CONNECTIONS = 32
const REQUESTS = Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\n\r\n'.repeat(2_000))

interface Tally {
  answers: number
  connections: number
  isOver: boolean
  readonly open: Set<Socket>
}

export async function run({ url, bystanderKey: key, seconds }: AttackOptions): Promise<AttackReport> {
  const quiet = await watchBystander({ url, key, seconds: seconds / 2 })
  const tally: Tally = { answers: 0, connections: 0, isOver: false, open: new Set() }
  const attackers = Array.from({ length: CONNECTIONS }, () => attack(url, tally))
  const noticed = await watchBystander({ url, key, seconds })
  tally.isOver = true
  for (const socket of tally.open) socket.destroy()
  await Promise.all(attackers)
  return {
    ...quietRow(quiet),
    ...noticed,
    'connections made': tally.connections,
    'answers for each': Math.round((tally.answers / Math.max(1, tally.connections)) * 10) / 10,
  }
}

async function attack(url: string, tally: Tally): Promise<void> {
  const { hostname, port } = new URL(url)
  while (!tally.isOver) {
    const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.1' })
    // If the connection closes, its part of the attack ends. That is a result, not a failure.
    socket.on('error', () => undefined)
    tally.open.add(socket)
    socket.once('close', () => tally.open.delete(socket))
    const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
    socket.once('connect', () => {
      tally.connections += 1
    })
    socket.setEncoding('latin1').on('data', (text: string) => {
      tally.answers += text.split('HTTP/1.1 417').length - 1
    })
    // Continues while the connection is open.
    const sendMore = () => void (socket.writable && socket.write(REQUESTS, sendMore))
    sendMore()
    await closed
  }
}
