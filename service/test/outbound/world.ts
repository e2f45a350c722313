// Sets up egress tests: manual clock, receivers, and policies. The policies treat 127.0.0.2 as a public address.

import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { type Cidr, parseCidr } from '../../src/platform/cidr.ts'
import { type EgressPolicy, type EgressSettings, makePolicy } from '../../src/platform/egress/policy.ts'
import type { After } from '../../src/platform/egress/resolve.ts'
import { within } from '../harness/wait.ts'

export const OUTSIDE = '127.0.0.2'
export const INSIDE = '127.0.0.1'

export function cidrs(...texts: readonly string[]): Cidr[] {
  return texts.map((text) => {
    const cidr = parseCidr(text)
    if (cidr === null) throw new Error(`${text} is not a CIDR`)
    return cidr
  })
}

export function testPolicy(settings: Partial<EgressSettings> = {}): EgressPolicy {
  return makePolicy({ environment: 'live', allow: cidrs(OUTSIDE), ...settings })
}

export interface ManualTimer {
  readonly after: After
  /** Runs all due timers. No other call runs timers. */
  advance(milliseconds: number): void
}

export function makeTimer(): ManualTimer {
  let now = 0
  const pending = new Set<{ due: number; expire: () => void }>()
  return {
    after: (milliseconds, expire) => {
      const entry = { due: now + milliseconds, expire }
      pending.add(entry)
      return () => pending.delete(entry)
    },
    advance: (milliseconds) => {
      now += milliseconds
      for (const entry of [...pending]) if (entry.due <= now && pending.delete(entry)) entry.expire()
    },
  }
}

/**
 * Waits for an event that must follow at once from a deadline that the test let expire. The DNS resolver has a clock of
 * its own, which expires after BEFORE_DNS_MS; other events may take longer on a busy machine.
 */
export function soon<T>(promise: Promise<T>, milliseconds = 10_000): Promise<T | 'late'> {
  const late = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => late.resolve('late'), milliseconds)
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer))
}

const PORT_TRIES = 100

export const BEFORE_DNS_MS = 1_000

export interface Receiver {
  readonly port: number
  /** Returns the number of connections. */
  connections(): number
  /** Resolves when that many connections have been opened. */
  connected(count: number): Promise<void>
  /** Resolves when every connection has been closed again. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface ReceiverOptions {
  readonly host?: string
  readonly port?: number
  readonly tls?: TlsOptions
}

/** The test controls every byte, because attackers send what no real HTTP server would. */
export function startReceiver(serve: (socket: Socket) => void, options: ReceiverOptions = {}): Promise<Receiver> {
  const open = new Set<Socket>()
  const waiting = new Set<() => void>()
  let count = 0
  const server: Server =
    options.tls === undefined ? createServer(serve) : createTlsServer(options.tls, (socket) => serve(socket))
  // Connections that the client resets are not errors of the receiver.
  server.on('tlsClientError', (_error, socket: Socket) => socket.destroy())
  server.on('connection', (socket: Socket) => {
    count += 1
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      open.delete(socket)
      for (const check of [...waiting]) check()
    })
    for (const check of [...waiting]) check()
  })
  server.on('secureConnection', (socket: Socket) => socket.on('error', () => socket.destroy()))
  const until = (what: string, condition: () => boolean) =>
    within(
      what,
      new Promise<void>((resolve) => {
        const check = () => {
          if (!condition()) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    )
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, options.host ?? OUTSIDE, () => {
      const address = server.address()
      if (address === null || typeof address === 'string') return reject(new Error('no port'))
      resolve({
        port: address.port,
        connections: () => count,
        connected: (wanted) => until(`${wanted} connections were made`, () => count >= wanted),
        idle: () => until('all connections are closed', () => open.size === 0),
        close: () => {
          for (const socket of open) socket.destroy()
          return new Promise((done) => server.close(() => done()))
        },
      })
    })
  })
}

/** Answers a whole request with these bytes and closes. */
export function answering(...parts: readonly (string | Uint8Array)[]): (socket: Socket) => void {
  return (socket) => {
    socket.once('data', () => {
      for (const part of parts) socket.write(part)
      socket.end()
    })
  }
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/**
 * Returns a receiver on the public address and a trap on the internal one, on the same port: a misdirected request ends
 * in the trap.
 */
export async function startPair(
  serve: (socket: Socket) => void,
  options: ReceiverOptions = {},
): Promise<{ outside: Receiver; trap: Receiver; close(): Promise<void> }> {
  for (let tries = 0; tries < PORT_TRIES; tries += 1) {
    const outside = await startReceiver(serve, { ...options, host: OUTSIDE })
    const trap = await startReceiver(serve, { ...options, host: INSIDE, port: outside.port }).catch(() => null)
    if (trap !== null) {
      return {
        outside,
        trap,
        close: async () => {
          await Promise.all([outside.close(), trap.close()])
        },
      }
    }
    // Another process uses the internal port: try another.
    await outside.close()
  }
  throw new Error(`no port was free on both addresses in ${PORT_TRIES} tries`)
}
