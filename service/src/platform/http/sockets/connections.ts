// Limits sockets: their number, their idle time, and the requests that wait for unread responses.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Deps } from '../../../deps.ts'
import { createShares, type Sender, type Shares } from '../../shares.ts'
import { isTrustedProxy, senderOf } from '../address.ts'
import {
  CLOSED_CONNECTIONS_BUDGET,
  connectionBound,
  HEAD_BYTES_MAX,
  HEADERS_MAX,
  LATE_BODY_BYTES,
  PIPELINED_MAX,
  THROTTLED_CONNECTIONS,
  TIMES,
  TINY_CHUNKS,
} from '../bounds/limits.ts'
import { createBoundedRate, createMeter } from '../bounds/meter.ts'
import { refuseMalformed } from '../client-error.ts'
import { createServer } from '../node-http.ts'
import { announcesBody, isBodyRead, watchChunks, weightOf } from './body-chunks.ts'
import { dropBody, stopParsing } from './node-parser.ts'
import { createUnreadWatch } from './unread-answers.ts'

/** The address of a socket that was closed before its address was read. */
const GONE = ''

type Needs = Pick<Deps, 'config' | 'clock' | 'metrics'>

interface Connection {
  readonly sender: Sender
  /** A trusted proxy's connection carries many clients, so no client may be refused because of another. */
  readonly isProxy: boolean
  /** Opened while the address was throttled. Such a connection may send one request. */
  readonly isThrottled: boolean
  /** Responses that the client has not taken yet. */
  readonly answers: Set<ServerResponse>
}

type Reason = 'pipelined' | 'unread' | 'late_body' | 'tiny_chunks' | 'malformed'

export function createBoundedServer(deps: Needs, handler: RequestListener): Server {
  const connections = new WeakMap<Socket, Connection>()
  const closedMeter = createMeter(CLOSED_CONNECTIONS_BUDGET)
  const noteClosed = (socket: Socket, reason: Reason) => {
    deps.metrics.connectionsClosed.inc({ reason })
    closedMeter.spend(senderOf(socket.remoteAddress ?? GONE), deps.clock.now())
  }
  const closeSocket = (socket: Socket, reason: Reason) => {
    if (socket.destroyed) return
    noteClosed(socket, reason)
    stopParsing(socket)
    dropBody(socket)
    socket.destroy()
  }
  const payForChunks = createBoundedRate(TINY_CHUNKS)
  const refuse = (request: IncomingMessage, response: ServerResponse, problem: [number, string]) => {
    noteClosed(request.socket, 'malformed')
    stopParsing(request.socket)
    refuseMalformed(deps, response, problem)
  }
  const bounded =
    (answer: RequestListener): RequestListener =>
    (request, response) => {
      const { socket } = request
      const connection = connections.get(socket)
      // This request was read together with an earlier request that closed the connection.
      if (socket.destroyed || connection === undefined) return
      const { answers, sender, isProxy, isThrottled } = connection
      answers.add(response)
      response.on('close', () => answers.delete(response))
      // Node makes an object of no more than `maxHeadersCount`, because names chosen by the sender can cost n² steps.
      if (request.rawHeaders.length > 2 * HEADERS_MAX)
        return refuse(request, response, [431, 'There are too many headers.'])
      if (announcesBody(request)) {
        watchChunks(request, {
          isGranted: () => payForChunks(isProxy ? null : sender, deps.clock.now()),
          end: () => closeSocket(socket, 'tiny_chunks'),
        })
        discardUnread(request, response, () => closeSocket(socket, 'late_body'))
      }
      if (answers.size > PIPELINED_MAX) return closeSocket(socket, 'pipelined')
      // A request to upgrade is answered like any other. Node drops what was read after it.
      if (isThrottled || request.headers.upgrade !== undefined) {
        response.setHeader('Connection', 'close')
        stopParsing(socket)
      }
      answer(request, response)
    }
  const server = createServer(
    {
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: TIMES.headers,
      requestTimeout: TIMES.request,
      keepAliveTimeout: TIMES.keepAlive,
      connectionsCheckingInterval: TIMES.check,
      // Without this, Node would respond itself and bypass every limit.
      requireHostHeader: false,
    },
    bounded((request, response) => {
      if (lacksHost(request)) refuse(request, response, [400, 'The Host header is missing.'])
      else handler(request, response)
    }),
  )
  server.maxHeadersCount = HEADERS_MAX + 1
  // Without these listeners, Node would respond itself and bypass every limit.
  server.on(
    'checkExpectation',
    bounded((request, response) => refuse(request, response, [417, 'Expect: only 100-continue is supported.'])),
  )
  server.on('connect', (_request, socket: Socket) => closeSocket(socket, 'malformed'))
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code?.startsWith('HPE_')) noteClosed(socket, 'malformed')
  })
  const unread = createUnreadWatch({
    now: deps.clock.now,
    unreadMs: TIMES.unread,
    closeSocket: (socket) => closeSocket(socket, 'unread'),
  })
  const shares = createShares(connectionBound(deps.config.waitingPagesMax))
  // Uses the budget of requests: further connections would only be accepted to be refused.
  const meter = createMeter(deps.config.rates.address)
  const takeThrottled = createBoundedRate(THROTTLED_CONNECTIONS)
  server.on('connection', (socket) => {
    const { remoteAddress = GONE } = socket
    const sender = senderOf(remoteAddress)
    const isProxy = isTrustedProxy(deps, remoteAddress)
    const now = deps.clock.now()
    const isThrottled = !isProxy && !closedMeter.check(sender, now).allowed
    const isTooSoon = (!isProxy && !meter.spend(sender, now).allowed) || (isThrottled && !takeThrottled(sender, now))
    if (isTooSoon || !takeSlot(shares, socket, { sender, isProxy })) {
      deps.metrics.connectionsClosed.inc({ reason: 'too_many' })
      socket.destroy()
      return
    }
    connections.set(socket, { sender, isProxy, isThrottled: isThrottled, answers: new Set() })
    unread.watch(socket)
  })
  const sweeping = setInterval(unread.sweep, TIMES.check)
  sweeping.unref()
  server.once('close', () => clearInterval(sweeping))
  return server
}

function takeSlot(
  shares: Shares,
  socket: Socket,
  { sender, isProxy }: Pick<Connection, 'sender' | 'isProxy'>,
): boolean {
  if (isProxy) shares.note(sender, 1)
  else if (shares.take(sender, 1) !== 'taken') return false
  socket.once('close', () => shares.give(sender, 1))
  return true
}

const lacksHost = ({ httpVersion, headers }: IncomingMessage) => httpVersion === '1.1' && headers.host === undefined

function discardUnread(request: IncomingMessage, response: ServerResponse, tooMuch: () => void): void {
  // A streamed response may never end, so its request's unread body is discarded now.
  if (!isBodyRead(request.method)) {
    discardRest(request, tooMuch)
    return
  }
  // Marks the body as being read. Otherwise Node discards what arrives after the response, without a limit.
  request.read(0)
  response.on('finish', () => discardRest(request, tooMuch))
}

/** Discards the rest of a body that no handler reads. Otherwise the end of the connection would not be noticed. */
function discardRest(request: IncomingMessage, tooMuch: () => void): void {
  request.unpipe()
  // What arrived and was not read would stay in memory until the connection's next request.
  if (request.complete) {
    request.resume()
    return
  }
  let left = LATE_BODY_BYTES
  request.on('data', (chunk: Buffer) => {
    left -= weightOf(chunk)
    if (left < 0) tooMuch()
  })
  request.resume()
}
