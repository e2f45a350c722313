// Opens pages that wait on streams, and declines their verifications, in a separate process.

import { fork } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { formRequest, httpRequest } from '../world.ts'

export interface Page {
  readonly id: string
  /** The values that the wallet's answer has to repeat. */
  readonly state: string
}

interface WaitingPages {
  readonly pid: number
  /** Declines all verifications, evenly through these ports. */
  end(ports: readonly number[]): Promise<Notified>
  close(): void
}

export interface Notified {
  /** The time from the wallet's answer until its page was notified: the slowest page, and the 99th percentile. */
  readonly slowestMs: number
  readonly p99Ms: number
  readonly seconds: number
}

const PAGES_OF_ADDRESS = 30
const OPENED_AT_ONCE = 64
const WALLETS = 64

type Order =
  | { readonly order: 'open'; readonly port: number; readonly pages: readonly Page[] }
  | { readonly order: 'end'; readonly ports: readonly number[] }

/** Resolves when every page's stream is open, and rejects if a page is refused. */
export async function openPages(port: number, pages: readonly Page[]): Promise<WaitingPages> {
  const child = fork(import.meta.filename, [], { serialization: 'advanced' })
  const ask = (order: Order) =>
    new Promise<unknown>((resolve, reject) => {
      child.once('message', resolve)
      child.once('exit', (code) => reject(new Error(`the pages ended with ${code}`)))
      child.send(order)
    })
  await ask({ order: 'open', port, pages })
  return {
    pid: child.pid ?? 0,
    end: async (ports) => (await ask({ order: 'end', ports })) as Notified,
    close: () => void child.kill(),
  }
}

/** When each page was notified of the end. */
const notifiedAt = new Map<string, number>()
let pages: readonly Page[] = []

async function openAll(port: number): Promise<void> {
  const queue = pages.entries()
  await Promise.all(
    Array.from({ length: OPENED_AT_ONCE }, async () => {
      for (const [index, page] of queue) await openPage(port, page, addressOf(index))
    }),
  )
}

const addressOf = (index: number) => {
  const number = 2 + Math.floor(index / PAGES_OF_ADDRESS)
  return `127.0.${Math.floor(number / 250)}.${1 + (number % 250)}`
}

function openPage(port: number, { id }: Page, localAddress: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', localAddress })
    let text = ''
    socket.setEncoding('latin1')
    socket.once('error', reject)
    socket.once('connect', () => socket.write(httpRequest('GET', `/verify/${id}/events`, {})))
    socket.on('data', (chunk: string) => {
      if (chunk.includes('data: declined')) {
        notifiedAt.set(id, performance.now())
        socket.destroy()
        return
      }
      if (text === 'waits') return
      text += chunk
      if (!text.startsWith('HTTP/1.1 200')) return reject(new Error(`a page was refused: ${text.slice(0, 300)}`))
      if (!text.includes('data: waiting')) return
      text = 'waits'
      resolve()
    })
    socket.once('close', () => reject(new Error('a page was cut off before it knew anything')))
  })
}

async function endAll(ports: readonly number[]): Promise<Notified> {
  const endedAt = new Map<string, number>()
  const queue = pages.entries()
  const began = performance.now()
  await Promise.all(
    Array.from({ length: WALLETS }, async (_, wallet) => {
      const port = ports[wallet % ports.length] ?? 0
      await decline(port, queue, endedAt)
    }),
  )
  const seconds = (performance.now() - began) / 1000
  const deadline = performance.now() + 10_000
  while (notifiedAt.size < pages.length && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  // A page that was never notified counts as infinitely late.
  const late = pages.map(({ id }) =>
    Math.max(0, (notifiedAt.get(id) ?? Number.POSITIVE_INFINITY) - (endedAt.get(id) ?? 0)),
  )
  late.sort((a, b) => a - b)
  return { slowestMs: late.at(-1) ?? Number.NaN, p99Ms: late[Math.floor(late.length * 0.99)] ?? Number.NaN, seconds }
}

function decline(port: number, queue: Iterator<[number, Page]>, endedAt: Map<string, number>): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    let current = ''
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    const send = () => {
      const next = queue.next()
      if (next.done === true) {
        socket.end()
        return resolve()
      }
      const [, { id, state }] = next.value
      current = id
      socket.write(formRequest(`/wallet/response/${id}`, `error=access_denied&state=${state}`))
    }
    socket.once('connect', send)
    socket.once('error', reject)
    // The answer is so short that it arrives in one chunk on this machine.
    socket.on('data', (chunk: string) => {
      if (!chunk.startsWith('HTTP/1.1 200')) return reject(new Error(`a wallet was refused: ${chunk.slice(0, 300)}`))
      endedAt.set(current, performance.now())
      send()
    })
  })
}

if (import.meta.main) {
  process.on('message', async (order: Order) => {
    if (order.order === 'open') {
      pages = order.pages
      await openAll(order.port)
      process.send?.('open')
    } else {
      process.send?.(await endAll(order.ports))
    }
  })
}
