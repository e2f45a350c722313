// A proxy in front of a key service, or its double, that injects the faults of a test.

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'

export interface Passing {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** `hang`: no answer; `reset`: the connection is closed. A function changes the real answer. */
export type Fault = 'hang' | 'reset' | Answer | ((body: string) => string)

export interface Answer {
  readonly status: number
  readonly body: string
}

/** Answers in place of a key service. */
export type Respond = (passing: Passing) => Answer

export interface FaultProxy {
  readonly url: string
  readonly port: number
  readonly seen: Passing[]
  /** null: no fault. */
  fault: (passing: Passing) => Fault | null
}

/** `target`: the address of a server, or a double. */
export async function startFaultProxy(
  target: string | Respond,
  tls?: { readonly cert: string; readonly key: string },
): Promise<FaultProxy> {
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy())
  }
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming
    const passing = { method, path: url, headers, body: await text(incoming) }
    proxy.seen.push(passing)
    const fault = proxy.fault(passing)
    if (fault === 'hang') return
    if (fault === 'reset') return void outgoing.destroy()
    if (fault !== null && typeof fault === 'object') {
      outgoing.writeHead(fault.status, { 'Content-Type': 'application/json' }).end(fault.body)
      return
    }
    const answer = typeof target === 'string' ? await forward(passing, target) : target(passing)
    const body = fault === null ? answer.body : fault(answer.body)
    outgoing.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(body)
  }
  /** Forwards a request with its own Host header, because signatures cover it. */
  async function forward({ method, path, headers, body }: Passing, to: string): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    request(new URL(path, to), { method, headers }, resolve).on('error', reject).end(body)
    const answer = await promise
    return { status: answer.statusCode ?? 500, body: await text(answer) }
  }
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', () => resolve())
  await listening
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const proxy: FaultProxy = {
    url: `http${tls === undefined ? '' : 's'}://127.0.0.1:${port}`,
    port,
    seen: [],
    fault: () => null,
  }
  return proxy
}
