// Serves scripted DNS answers over UDP and TCP on one loopback port, and records every query.

import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { createServer, type Server, type Socket } from 'node:net'
import { addressBytes } from '../../src/platform/cidr.ts'
import { within } from '../harness/wait.ts'

export interface Zone {
  readonly A?: readonly string[]
  readonly AAAA?: readonly string[]
  /** Aliases before the addresses, in order. */
  readonly CNAME?: readonly string[]
  /** 2: server failure, 3: no such name. */
  readonly rcode?: number
  /** Never answered. */
  readonly silent?: boolean | 'A' | 'AAAA'
  /** The answer waits for this promise. */
  readonly held?: Promise<void>
}

/** `nth` counts the queries for this name and type, from 1. */
export type Script = (name: string, type: 'A' | 'AAAA', nth: number) => Zone | undefined

export interface DnsServer {
  readonly address: string
  /** `name/type` in the order of arrival. */
  readonly questions: string[]
  /** Resolves when that many queries have arrived. */
  asked(count: number): Promise<void>
  close(): Promise<void>
}

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const
const UDP_BYTES_MAX = 1232

export async function startDnsServer(script: Script): Promise<DnsServer> {
  const questions: string[] = []
  const counts = new Map<string, number>()
  const known = new Map<string, number>()
  const waiting: { count: number; resolve: () => void }[] = []
  const answer = async (query: Buffer): Promise<Buffer | null> => {
    const { name, type, question } = parseQuestion(query)
    // A resolver without an answer repeats its query, under the same id: that is not a further query.
    const sent = `${query.readUInt16BE(0)} ${name}/${type}`
    const nth = known.get(sent) ?? (counts.get(`${name}/${type}`) ?? 0) + 1
    if (!known.has(sent)) {
      known.set(sent, nth)
      counts.set(`${name}/${type}`, nth)
      questions.push(`${name}/${type}`)
      for (const { count, resolve } of waiting) if (questions.length >= count) resolve()
    }
    const zone = script(name, type, nth) ?? { rcode: 3 }
    if (zone.held !== undefined) await zone.held
    return zone.silent === true || zone.silent === type ? null : encodeAnswer(query, question, { zone, type })
  }
  const { udp, tcp, port } = await bindBoth()
  udp.on('message', async (query, peer) => {
    const message = await answer(query)
    if (message === null) return
    udp.send(message.length > UDP_BYTES_MAX ? truncate(message) : message, peer.port, peer.address)
  })
  const open = new Set<Socket>()
  tcp.on('connection', (socket) => {
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', async (data: Buffer) => {
      const message = await answer(data.subarray(2))
      if (message !== null) socket.write(Buffer.concat([uint16(message.length), message]))
    })
  })
  return {
    address: `127.0.0.1:${port}`,
    questions,
    asked: (count) =>
      within(
        `${count} questions were asked`,
        new Promise((resolve) => {
          if (questions.length >= count) resolve()
          else waiting.push({ count, resolve })
        }),
      ),
    close: async () => {
      for (const socket of open) socket.destroy()
      await Promise.all([
        new Promise<void>((resolve) => udp.close(resolve)),
        new Promise<void>((resolve) => tcp.close(() => resolve())),
      ])
    },
  }
}

const PORT_TRIES = 100

/** Binds a port that is free for both UDP and TCP. Tries another one if it is in use for either. */
async function bindBoth(): Promise<{ udp: UdpSocket; tcp: Server; port: number }> {
  for (let tries = 0; tries < PORT_TRIES; tries += 1) {
    const udp = createSocket('udp4')
    await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve))
    const { port } = udp.address()
    const tcp = createServer()
    const bound = await new Promise<boolean>((resolve) => {
      tcp.once('error', () => resolve(false))
      tcp.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (bound) return { udp, tcp, port }
    udp.close()
  }
  throw new Error(`no port was free for both in ${PORT_TRIES} tries`)
}

function parseQuestion(query: Buffer): { name: string; type: 'A' | 'AAAA'; question: Buffer } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const type = query.readUInt16BE(at + 1) === TYPES.AAAA ? 'AAAA' : 'A'
  return { name: labels.join('.').toLowerCase(), type, question: query.subarray(12, at + 5) }
}

function encodeAnswer(query: Buffer, question: Buffer, { zone, type }: { zone: Zone; type: 'A' | 'AAAA' }): Buffer {
  const aliases = zone.CNAME ?? []
  const owners = [question.subarray(0, -4), ...aliases.map(encodeName)]
  const records = aliases.map((alias, i) => record(owners[i] ?? Buffer.alloc(1), TYPES.CNAME, encodeName(alias)))
  const owner = owners.at(-1) ?? Buffer.alloc(1)
  for (const text of zone[type] ?? [])
    records.push(record(owner, TYPES[type], Buffer.from(addressBytes(text) ?? new Uint8Array())))
  // Response, recursion desired and available.
  const flags = 0x8180 | (zone.rcode ?? 0)
  const header = Buffer.concat([query.subarray(0, 2), ...[flags, 1, records.length, 0, 0].map(uint16)])
  return Buffer.concat([header, question, ...records])
}

/** TTL 0: each query gets a new answer. */
function record(owner: Buffer, type: number, data: Buffer): Buffer {
  return Buffer.concat([owner, uint16(type), uint16(1), Buffer.alloc(4), uint16(data.length), data])
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.alloc(1)])
}

/** Returns only the header with the truncation bit and the query, so that the client repeats it over TCP. */
function truncate(message: Buffer): Buffer {
  const short = Buffer.from(message.subarray(0, 12 + parseQuestion(message).question.length))
  short.writeUInt16BE(short.readUInt16BE(2) | 0x0200, 2)
  short.writeUInt32BE(0, 6)
  return short
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
