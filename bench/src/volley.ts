// Sends a list of requests over keep-alive connections from a reused thread, and returns answers and time.

import { connect } from 'node:net'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

interface Volley {
  readonly port: number
  readonly connections: number
  readonly requests: readonly string[]
}

interface Volleyed {
  readonly milliseconds: number
  readonly bodies: readonly string[]
  /** The latency of each request, from sending it to the end of its answer. */
  readonly latencies: readonly number[]
  /** CPU time of the sending thread, which the process's CPU time includes. */
  readonly cpuMicros: number
}

let idle: Worker | null = null

/** Rejects on any answer that is not a success. */
export function fire(volley: Volley): Promise<Volleyed> {
  const worker = idle ?? new Worker(new URL(import.meta.url))
  idle = null
  return new Promise((resolve, reject) => {
    worker.ref()
    worker.once('error', reject)
    worker.once('message', (done: Volleyed) => {
      worker.off('error', reject)
      worker.unref()
      idle = worker
      resolve(done)
    })
    worker.postMessage(volley)
  })
}

async function volley({ port, connections, requests }: Volley): Promise<Volleyed> {
  const cpuBefore = process.threadCpuUsage()
  const bodies: string[] = new Array(requests.length)
  const latencies: number[] = new Array(requests.length)
  let next = 0
  const take = () => (next < requests.length ? next++ : null)
  const start = performance.now()
  await Promise.all(Array.from({ length: connections }, () => converse(port, { requests, take, bodies, latencies })))
  const milliseconds = performance.now() - start
  const { user, system } = process.threadCpuUsage(cpuBefore)
  return { milliseconds, bodies, latencies, cpuMicros: user + system }
}

interface Work {
  readonly requests: readonly string[]
  take(): number | null
  readonly bodies: string[]
  readonly latencies: number[]
}

function converse(port: number, { requests, take, bodies, latencies }: Work): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    let current = -1
    let began = 0
    let buffer = ''
    const send = () => {
      const index = take()
      if (index === null) {
        socket.end()
        return resolve()
      }
      current = index
      began = performance.now()
      socket.write(requests[index] ?? '')
    }
    socket.once('connect', send)
    socket.once('error', reject)
    socket.on('data', (chunk: string) => {
      buffer += chunk
      const head = buffer.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(buffer)?.[1])
      if (head < 0 || buffer.length < head + 4 + length) return
      const isRedirect = buffer.startsWith('HTTP/1.1 303 ')
      if (!isRedirect && !/^HTTP\/1\.1 20\d /.test(buffer)) {
        socket.destroy()
        return reject(new Error(`unexpected answer: ${buffer.slice(0, 400)}`))
      }
      bodies[current] = isRedirect ? buffer.slice(0, head) : buffer.slice(head + 4)
      latencies[current] = performance.now() - began
      buffer = ''
      send()
    })
  })
}

if (!isMainThread)
  parentPort?.on('message', async (order: Volley) => {
    // A failure ends the thread, and with it the caller's promise.
    parentPort?.postMessage(await volley(order))
  })
