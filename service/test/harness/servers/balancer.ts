// Proxies to replicas as in production: kept-alive connections, choice by readiness.

import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export interface Balancer {
  readonly url: string
  add(url: string): Promise<void>
  /** Requests that a replica accepted and did not answer. */
  readonly lost: readonly string[]
  close(): Promise<void>
}

interface Replica {
  readonly url: string
  readonly agent: Agent
  isReady: boolean
}

const PROBE_MS = 100

/** Retries only refused connections: a request that failed later may have been processed. */
export async function startBalancer(): Promise<Balancer> {
  const replicas: Replica[] = []
  const lost: string[] = []
  const stopped = new AbortController()
  let turn = 0

  async function probe(replica: Replica): Promise<void> {
    replica.isReady = await fetch(`${replica.url}/readyz`, { signal: stopped.signal }).then(
      ({ status }) => status === 200,
      () => false,
    )
  }

  async function watch(replica: Replica): Promise<void> {
    // bounded: by close().
    while (!stopped.signal.aborted) {
      await probe(replica)
      await delay(PROBE_MS, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }

  function pass(incoming: IncomingMessage, body: Buffer, response: ServerResponse): unknown {
    const ready = replicas.filter(({ isReady }) => isReady)
    turn += 1
    const replica = ready[turn % ready.length]
    if (replica === undefined) return fail(response, 'no replica is ready')
    const { method = 'GET', url = '/', headers } = incoming
    const outgoing = request(`${replica.url}${url}`, { method, headers, agent: replica.agent }, (answer) => {
      const { connection: _, ...kept } = answer.headers
      response.writeHead(answer.statusCode ?? 502, kept)
      answer.pipe(response)
      answer.once('error', (error) => fail(response, error.message))
    })
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNREFUSED') return fail(response, `${method}: ${error.message}`)
      replica.isReady = false
      pass(incoming, body, response)
    })
    outgoing.end(body)
  }

  function fail(response: ServerResponse, reason: string): void {
    lost.push(reason)
    if (!response.headersSent) response.writeHead(502)
    response.end()
  }

  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    pass(incoming, Buffer.concat(chunks), response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const watches: Promise<void>[] = []
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost,
    async add(url) {
      const replica = { url, agent: new Agent({ keepAlive: true }), isReady: false }
      await probe(replica)
      replicas.push(replica)
      watches.push(watch(replica))
    },
    async close() {
      stopped.abort()
      await Promise.all(watches)
      for (const { agent } of replicas) agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
