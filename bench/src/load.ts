// Sends requests over keep-alive connections from its own thread, so that mainly the server is measured.

import { connect } from 'node:net'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

export interface Load {
  readonly port: number
  readonly connections: number
  readonly milliseconds: number
  /** The text of the request; every `@` becomes a unique number. Several requests are sent in turn. */
  readonly request: string | readonly string[]
  readonly expectedStatus: number
}

export interface Measured {
  readonly perSecond: number
  readonly medianMs: number
  readonly p99Ms: number
}

export function run(load: Load): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: load })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

let sent = 0
const stamp = `${process.pid}-${Math.floor(performance.timeOrigin)}`

async function drive(load: Load): Promise<Measured> {
  const latencies: number[] = []
  const start = performance.now()
  const end = start + load.milliseconds
  await Promise.all(Array.from({ length: load.connections }, () => converse(load, end, latencies)))
  const seconds = (performance.now() - start) / 1000
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN
  return { perSecond: latencies.length / seconds, medianMs: at(0.5), p99Ms: at(0.99) }
}

function converse(load: Load, end: number, latencies: number[]): Promise<void> {
  const status = `HTTP/1.1 ${load.expectedStatus} `
  const requests = typeof load.request === 'string' ? [load.request] : load.request
  return new Promise((resolve, reject) => {
    const socket = connect(load.port, '127.0.0.1')
    socket.setNoDelay(true)
    let began = 0
    let buffer = ''
    const send = () => {
      sent += 1
      began = performance.now()
      const request = requests[sent % requests.length] ?? ''
      socket.write(request.replaceAll('@', `${stamp}-${sent}`))
    }
    socket.once('connect', send)
    socket.once('error', reject)
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      buffer += chunk
      const headersEnd = buffer.indexOf('\r\n\r\n')
      if (headersEnd < 0) return
      const length = Number(/content-length: (\d+)/i.exec(buffer)?.[1])
      if (buffer.length < headersEnd + 4 + length) return
      if (!buffer.startsWith(status)) {
        reject(new Error(`unexpected answer: ${buffer.slice(0, 600)}`))
        socket.destroy()
        return
      }
      buffer = ''
      latencies.push(performance.now() - began)
      if (performance.now() < end) return send()
      socket.end()
      resolve()
    })
  })
}

if (!isMainThread) {
  drive(workerData as Load).then(
    (measured) => parentPort?.postMessage(measured),
    (error) => {
      throw error
    },
  )
}
