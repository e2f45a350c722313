// The thread behind health-port.ts.

import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import type { HealthOrder } from './health-port.ts'
import { createServer } from './platform/http/node-http.ts'

/** Probes are small, quick and few. */
const BOUNDS = {
  headersTimeout: 2_000,
  requestTimeout: 2_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 4_096,
  // The interval at which Node checks for connections beyond these times.
  connectionsCheckingInterval: 500,
} as const
const CONNECTIONS_MAX = 64

const { host, port, beat, hangsMs } = workerData as HealthOrder
const heart = new BigInt64Array(beat)

const server = createServer(BOUNDS, (request, response) => {
  request.resume()
  const isKnown = request.url === '/healthz' && (request.method === 'GET' || request.method === 'HEAD')
  const silentMs = Number(process.hrtime.bigint() - Atomics.load(heart, 0)) / 1e6
  const status = isKnown ? (silentMs > hangsMs ? 503 : 200) : 404
  const body = status === 200 ? '{"status":"ok"}' : '{"status":"unavailable"}'
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Connection: 'close' })
  response.end(body)
})
server.maxConnections = CONNECTIONS_MAX
server.listen(port, host, () => parentPort?.postMessage((server.address() as AddressInfo).port))
