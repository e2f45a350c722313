// Limits sockets: how many, how long they may be idle, and how many requests may wait for unread responses.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Deps } from '../../../deps.ts'
import { createShares, type Sender, type Shares } from '../../shares.ts'
import { isTrustedProxy, senderOf } from '../address.ts'
import {
  CUTS_BUDGET,
  connectionBound,
  LATE_BODY_BYTES,
  MISTRUSTED_CONNECTIONS,
  PIPELINED_MAX,
  TIMES,
  TINY_CHUNKS,
} from '../bounds/limits.ts'
import { createBoundedRate, createMeter } from '../bounds/meter.ts'
import { refuseMalformed } from '../client-error.ts'
import { announcesBody, isBodyRead, watchChunks, weightOf } from './body-chunks.ts'
import { dropBody, stopParsing } from './node-parser.ts'
import { createUnreadWatch } from './unread-answers.ts'

/** The address of a socket that was closed before we read it. */
const GONE = ''

type Needs = Pick<Deps, 'config' | 'clock' | 'metrics'>

interface Connection {
  readonly sender: Sender
  /** A trusted proxy's connection carries many clients; none of them is refused because of the others. */
  readonly isProxy: boolean
  /** Opened while its address was throttled: it may send one request. */
  readonly isMistrusted: boolean
  /** Responses that the client has not taken yet. */
  readonly answers: Set<ServerResponse>
}

type Reason = 'pipelined' | 'unread' | 'late_body' | 'tiny_chunks' | 'malformed'

export function createBoundedServer(deps: Needs, handler: RequestListener): Server {
  const connections = new WeakMap<Socket, Connection>()
  const cuts = createMeter(CUTS_BUDGET)
  const noteCut = (socket: Socket, reason: Reason) => {
    deps.metrics.connectionsCut.inc({ reason })
    cuts.spend(senderOf(socket.remoteAddress ?? GONE), deps.clock.now())
  }
  const closeSocket = (socket: Socket, reason: Reason) => {
    if (socket.destroyed) return
    noteCut(socket, reason)
    stopParsing(socket)
    dropBody(socket)
    socket.destroy()
  }
  const payForChunks = createBoundedRate(TINY_CHUNKS)
  const refuse = (request: IncomingMessage, response: ServerResponse, problem: [number, string]) => {
    noteCut(request.socket, 'malformed')
    stopParsing(request.socket)
    refuseMalformed(deps, response, problem)
  }
  const bounded =
    (answer: RequestListener): RequestListener =>
    (request, response) => {
      const { socket } = request
      const connection = connections.get(socket)
      // Requests that were read together with the one that closed the connection.
      if (socket.destroyed || connection === undefined) return
      const { answers, sender, isProxy, isMistrusted } = connection
      answers.add(response)
      response.on('close', () => answers.delete(response))
      if (announcesBody(request)) {
        watchChunks(request, {
          isGranted: () => payForChunks(isProxy ? null : sender, deps.clock.now()),
          end: () => closeSocket(socket, 'tiny_chunks'),
        })
        discardUnread(request, response, () => closeSocket(socket, 'late_body'))
      }
      if (answers.size > PIPELINED_MAX) return closeSocket(socket, 'pipelined')
      // A request for another protocol is answered like any other; Node drops what was read with it.
      if (isMistrusted || request.headers.upgrade !== undefined) {
        response.setHeader('Connection', 'close')
        stopParsing(socket)
      }
      answer(request, response)
    }
  const server = createServer(
    {
      headersTimeout: TIMES.headers,
      requestTimeout: TIMES.request,
      keepAliveTimeout: TIMES.keepAlive,
      connectionsCheckingInterval: TIMES.check,
      // Node would otherwise respond itself, bypassing every limit.
      requireHostHeader: false,
    },
    bounded((request, response) => {
      if (lacksHost(request)) refuse(request, response, [400, 'The Host header is missing.'])
      else handler(request, response)
    }),
  )
  // The same: without a listener Node responds to these two itself.
  server.on(
    'checkExpectation',
    bounded((request, response) => refuse(request, response, [417, 'Expect: only 100-continue is known here.'])),
  )
  server.on('connect', (_request, socket: Socket) => closeSocket(socket, 'malformed'))
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code?.startsWith('HPE_')) noteCut(socket, 'malformed')
  })
  const unread = createUnreadWatch({
    now: deps.clock.now,
    unreadMs: TIMES.unread,
    closeSocket: (socket) => closeSocket(socket, 'unread'),
  })
  const shares = createShares(connectionBound(deps.config.waitingPagesMax))
  // As many connections as requests: more would be read only to be refused.
  const meter = createMeter(deps.config.rates.address)
  const takeMistrusted = createBoundedRate(MISTRUSTED_CONNECTIONS)
  server.on('connection', (socket) => {
    const { remoteAddress = GONE } = socket
    const sender = senderOf(remoteAddress)
    const isProxy = isTrustedProxy(deps, remoteAddress)
    const now = deps.clock.now()
    const isMistrusted = !isProxy && !cuts.check(sender, now).allowed
    const isTooSoon = (!isProxy && !meter.spend(sender, now).allowed) || (isMistrusted && !takeMistrusted(sender, now))
    if (isTooSoon || !takeSlot(shares, socket, { sender, isProxy })) {
      deps.metrics.connectionsCut.inc({ reason: 'too_many' })
      socket.destroy()
      return
    }
    connections.set(socket, { sender, isProxy, isMistrusted, answers: new Set() })
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
  // A response that is a stream may never end.
  if (isBodyRead(request.method)) response.on('finish', () => discardRest(request, tooMuch))
  else discardRest(request, tooMuch)
}

/** This body, or the rest of it, is not read. It must be taken off the connection, or its end would go unnoticed. */
function discardRest(request: IncomingMessage, tooMuch: () => void): void {
  if (request.complete) return
  let left = LATE_BODY_BYTES
  request.unpipe()
  request.on('data', (chunk: Buffer) => {
    left -= weightOf(chunk)
    if (left < 0) tooMuch()
  })
  request.resume()
}
