// The sockets under the requests: how many, how long they may be silent, and how much may be asked before an answer is read.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Deps } from '../deps.ts'
import { createShares, type Shares } from '../domain/shares.ts'
import { addressBucket, isTrustedProxy } from './address.ts'
import { CONNECTIONS, CUTS_BUDGET, LATE_BODY_BYTES, PIPELINED_MAX, TIMES } from './limits.ts'
import { createMeter, type Meter } from './meter.ts'
import { createUnreadWatch } from './unread-answers.ts'

/** Of a socket that was closed before we looked. */
const UNKNOWN = 'unknown'

type Needs = Pick<Deps, 'config' | 'clock' | 'metrics'>

export function createBoundedServer(deps: Needs, handler: RequestListener): Server {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>()
  const cuts = createMeter(CUTS_BUDGET)
  const cut = (socket: Socket, reason: 'pipelined' | 'unread' | 'late_body') => {
    deps.metrics.connectionsCut.inc({ reason })
    cuts.spend(addressBucket(socket.remoteAddress ?? UNKNOWN), deps.clock.now())
    socket.destroy()
  }
  const server = createServer(
    {
      headersTimeout: TIMES.headers,
      requestTimeout: TIMES.request,
      keepAliveTimeout: TIMES.keepAlive,
      connectionsCheckingInterval: TIMES.check,
    },
    (request, response) => {
      const { socket } = request
      // What was read together with the request that ended the connection.
      if (socket.destroyed) return
      const answers = waiting.get(socket) ?? new Set()
      answers.add(response)
      response.once('close', () => answers.delete(response))
      response.once('finish', () => discardRest(request, () => cut(socket, 'late_body')))
      if (answers.size > PIPELINED_MAX) cut(socket, 'pipelined')
      else handler(request, response)
    },
  )
  const unread = createUnreadWatch({
    now: deps.clock.now,
    unreadMs: TIMES.unread,
    cut: (socket) => cut(socket, 'unread'),
  })
  const shares = createShares(CONNECTIONS)
  server.on('connection', (socket) => {
    if (!takePlace(deps, { shares, cuts }, socket)) return
    unread.watch(socket)
    const answers = new Set<ServerResponse>()
    waiting.set(socket, answers)
    socket.once('close', () => closeWaiting(answers))
  })
  const sweeping = setInterval(unread.sweep, TIMES.check)
  sweeping.unref()
  server.once('close', () => clearInterval(sweeping))
  return server
}

function takePlace(deps: Needs, { shares, cuts }: { shares: Shares; cuts: Meter }, socket: Socket): boolean {
  const { remoteAddress = UNKNOWN } = socket
  // A proxy's connections are many people's: none of them is refused for the others.
  const isProxy = isTrustedProxy(deps, remoteAddress)
  const address = addressBucket(remoteAddress)
  if (isProxy) shares.note(address, 1)
  else if (!cuts.look(address, deps.clock.now()).allowed || shares.take(address, 1) !== 'taken') {
    deps.metrics.connectionsCut.inc({ reason: 'too_many' })
    socket.destroy()
    return false
  }
  socket.once('close', () => shares.give(address, 1))
  return true
}

/** Node tells the answer being written that its connection is gone; those waiting behind it hear of it here. */
function closeWaiting(answers: ReadonlySet<ServerResponse>): void {
  for (const answer of [...answers]) {
    answer.destroyed = true
    answer.emit('close')
  }
}

/** Nobody reads a body that goes on after its answer. It has to be taken off the connection, or nobody sees that it ends. */
function discardRest(request: IncomingMessage, tooMuch: () => void): void {
  if (request.complete) return
  let left = LATE_BODY_BYTES
  request.unpipe()
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0 && !request.destroyed) tooMuch()
  })
  request.resume()
}
