// The sockets under the requests: how many, how long they may be silent, and how much may be asked before an answer is read.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Deps } from '../../deps.ts'
import { createShares, type Sender, type Shares } from '../../domain/shares.ts'
import { isTrustedProxy, senderOf } from '../address.ts'
import { refuseMalformed } from '../client-error.ts'
import { announcesBody, isBodyRead, watchChunks, weightOf } from './body-chunks.ts'
import { CONNECTIONS, CUTS_BUDGET, LATE_BODY_BYTES, PIPELINED_MAX, TIMES } from './limits.ts'
import { createMeter } from './meter.ts'
import { createUnreadWatch } from './unread-answers.ts'

/** The address of a socket that was closed before we looked. */
const GONE = ''

type Needs = Pick<Deps, 'config' | 'clock' | 'metrics'>

interface Connection {
  readonly sender: Sender
  /** Of a trusted proxy: many people's, of whom none is refused anything for the others. */
  readonly isProxy: boolean
  /** Those that are not taken yet. */
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
  const cut = (socket: Socket, reason: Reason) => {
    if (socket.destroyed) return
    noteCut(socket, reason)
    stopParsing(socket)
    socket.destroy()
  }
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
      // What was read together with the request that ended the connection.
      if (socket.destroyed || connection === undefined) return
      const { answers, sender, isProxy } = connection
      answers.add(response)
      response.once('close', () => answers.delete(response))
      if (announcesBody(request)) boundBody(request, response, (reason) => cut(socket, reason))
      if (answers.size > PIPELINED_MAX) return cut(socket, 'pipelined')
      const isMistrusted = !isProxy && !cuts.look(sender, deps.clock.now()).allowed
      // Of a request for another protocol, which is answered like any other, Node drops what was read with it.
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
      // Node would answer by itself, past every bound.
      requireHostHeader: false,
    },
    bounded((request, response) => {
      if (lacksHost(request)) refuse(request, response, [400, 'The Host header is missing.'])
      else handler(request, response)
    }),
  )
  // The same: without a listener Node answers these two by itself.
  server.on(
    'checkExpectation',
    bounded((request, response) => refuse(request, response, [417, 'Expect: only 100-continue is known here.'])),
  )
  server.on('connect', (_request, socket: Socket) => cut(socket, 'malformed'))
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code?.startsWith('HPE_')) noteCut(socket, 'malformed')
  })
  const unread = createUnreadWatch({
    now: deps.clock.now,
    unreadMs: TIMES.unread,
    cut: (socket) => cut(socket, 'unread'),
  })
  const shares = createShares(CONNECTIONS)
  server.on('connection', (socket) => {
    const connection = takeSlot(deps, shares, socket)
    if (connection === null) return
    connections.set(socket, connection)
    unread.watch(socket)
  })
  const sweeping = setInterval(unread.sweep, TIMES.check)
  sweeping.unref()
  server.once('close', () => clearInterval(sweeping))
  return server
}

function takeSlot(deps: Needs, shares: Shares, socket: Socket): Connection | null {
  const { remoteAddress = GONE } = socket
  const isProxy = isTrustedProxy(deps, remoteAddress)
  const sender = senderOf(remoteAddress)
  if (isProxy) shares.note(sender, 1)
  else if (shares.take(sender, 1) !== 'taken') {
    deps.metrics.connectionsCut.inc({ reason: 'too_many' })
    socket.destroy()
    return null
  }
  socket.once('close', () => shares.give(sender, 1))
  return { sender, isProxy, answers: new Set() }
}

const lacksHost = ({ httpVersion, headers }: IncomingMessage) => httpVersion === '1.1' && headers.host === undefined

/** What Node's parser is told at the end of a head that belongs to another protocol: it stops there. */
const NOT_HTTP = 2

/**
 * Node reads 64 KiB at a time and parses them to their end, thousands of requests, even where the connection has ended
 * meanwhile. The next head is the last it looks at.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming?: () => number } | null }
  if (parser?.onIncoming) parser.onIncoming = () => NOT_HTTP
}

function boundBody(request: IncomingMessage, response: ServerResponse, cut: (reason: Reason) => void): void {
  watchChunks(request, () => cut('tiny_chunks'))
  const discard = () => discardRest(request, () => cut('late_body'))
  // An answer that is a stream may never end.
  if (isBodyRead(request.method)) response.once('finish', discard)
  else discard()
}

/** Nobody reads this body, or what is left of it. It has to be taken off the connection, or nobody sees that it ends. */
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
