// Sends creations of many callers from a separate process while it probes health and readiness.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { httpRequest } from '../world.ts'

export interface Crowd {
  readonly port: number
  readonly connections: number
  /** How many connections come from one address. */
  readonly each: number
  /** Every `@` becomes a unique number. */
  readonly request: string
  readonly warmUpMs: number
  readonly milliseconds: number
  readonly pauseMs: number
}

export interface Crowded {
  readonly madePerSecond: number
  readonly refusedPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly statuses: Readonly<Record<string, number>>
  readonly health: Probed
  readonly readiness: Probed
}

interface Probed {
  readonly p99Ms: number
  /** Answers other than 200. */
  readonly failed: number
}

/** The probes of health and readiness together stay below the rate limit of one address. */
const PROBE_EVERY_MS = 250

export async function runCrowd(crowd: Crowd): Promise<Crowded> {
  const child = fork(import.meta.filename, [], { serialization: 'advanced' })
  child.send(crowd)
  const [answer] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the callers ended with ${code}`)
    }),
  ])) as [Crowded]
  child.kill()
  return answer
}

let sent = 0
const stamp = `${process.pid}-${Math.floor(performance.timeOrigin)}`

/** Sends requests until `end`, and reconnects if the connection is lost. */
function converse(
  options: { readonly port: number; readonly localAddress: string; readonly end: number },
  next: () => string,
  /** Returns how long to wait before the next request. */
  answered: (status: string, tookMs: number) => number,
): Promise<void> {
  const { port, localAddress, end } = options
  return new Promise((resolve) => {
    let began = 0
    let buffer = ''
    const open = () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress })
      buffer = ''
      socket.setNoDelay(true)
      socket.setEncoding('latin1')
      const send = () => {
        if (performance.now() >= end) return void socket.end()
        began = performance.now()
        socket.write(next())
      }
      socket.once('connect', send)
      socket.on('error', () => void answered('error', 0))
      socket.once('close', () => (performance.now() < end ? setTimeout(open, 50) : resolve()))
      socket.on('data', (chunk: string) => {
        buffer += chunk
        const head = buffer.indexOf('\r\n\r\n')
        const length = Number(/content-length: (\d+)/i.exec(buffer)?.[1])
        if (head < 0 || buffer.length < head + 4 + length) return
        const status = buffer.slice(9, 12)
        buffer = ''
        const pause = answered(status, performance.now() - began)
        if (pause === 0) send()
        else setTimeout(send, pause)
      })
    }
    open()
  })
}

async function drive(crowd: Crowd): Promise<Crowded> {
  const start = performance.now() + crowd.warmUpMs
  const end = start + crowd.milliseconds
  const statuses: Record<string, number> = {}
  const latencies: number[] = []
  const next = () => {
    sent += 1
    return crowd.request.replaceAll('@', `${stamp}-${sent}`)
  }
  const noted = (status: string, tookMs: number) => {
    const now = performance.now()
    if (now >= start && now < end) {
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status === '201') latencies.push(tookMs)
    }
    return status === '201' ? 0 : crowd.pauseMs * (0.75 + Math.random() / 2)
  }
  const callers = Array.from({ length: crowd.connections }, (_, i) => {
    const number = 2 + Math.floor(i / crowd.each)
    const localAddress = `127.0.${Math.floor(number / 250)}.${1 + (number % 250)}`
    return converse({ port: crowd.port, localAddress, end }, next, noted)
  })
  const probes = [probe(crowd.port, '/healthz', start, end), probe(crowd.port, '/readyz', start, end)] as const
  await Promise.all(callers)
  const seconds = crowd.milliseconds / 1000
  const created = statuses['201'] ?? 0
  const others = Object.values(statuses).reduce((sum, count) => sum + count, 0) - created
  return {
    madePerSecond: created / seconds,
    refusedPerSecond: others / seconds,
    p50Ms: share(latencies, 0.5),
    p99Ms: share(latencies, 0.99),
    statuses,
    health: await probes[0],
    readiness: await probes[1],
  }
}

async function probe(port: number, path: string, start: number, end: number): Promise<Probed> {
  const took: number[] = []
  let failed = 0
  const request = httpRequest('GET', path, {})
  await converse(
    { port, localAddress: '127.0.0.1', end },
    () => request,
    (status, tookMs) => {
      if (performance.now() >= start) took.push(tookMs)
      if (status !== '200') failed += 1
      return PROBE_EVERY_MS
    },
  )
  return { p99Ms: share(took, 0.99), failed }
}

function share(values: number[], part: number): number {
  values.sort((a, b) => a - b)
  return values[Math.floor(values.length * part)] ?? Number.NaN
}

if (import.meta.main) process.once('message', async (crowd: Crowd) => process.send?.(await drive(crowd)))
