// Limits open requests, requests in progress and stored bytes, per address and in total.

import { PassThrough, type Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../errors.ts'
import { createShares, type Sender, type Shares, type Taken } from '../../shares.ts'
import { senderOf } from '../address.ts'
import type { App } from '../app.ts'
import { isBodyRead, weightOf } from '../sockets/body-chunks.ts'
import { BUFFERED_BYTES, openBound, PATIENCE_MS, SMALL_BODY_BYTES, workingBound } from './limits.ts'
import { createSlotQueue, type SlotQueue } from './slot-queue.ts'

/** The phase of one request, and what it occupies. */
interface Visit {
  readonly sender: Sender
  /** `running` from the worker slot on, which includes the hooks of the route. */
  phase: 'arriving' | 'running' | 'ran' | 'answered'
  /** The client has read the response, or closed the connection. */
  isOver: boolean
  open: number
  working: number
  bytes: number
}

interface Bounds {
  readonly open: Shares
  readonly working: Shares
  /** Requests that wait for a worker slot. */
  readonly queue: SlotQueue
  readonly bytes: Shares
}

/**
 * Releases a slot when the response is handed over or the handler ends, and the bytes when the client has read the
 * response. Health checks never wait. Started streams have no slot, because their route limits them.
 */
export function addOverloadBounds(app: App, deps: Pick<Deps, 'config' | 'metrics'>): void {
  const { requestsInFlightMax } = deps.config
  const workBound = workingBound(requestsInFlightMax)
  const working = createShares(workBound)
  const bounds: Bounds = {
    open: createShares(openBound(requestsInFlightMax)),
    working,
    queue: createSlotQueue(working, { patienceMs: PATIENCE_MS, light: workBound.light }),
    bytes: createShares(BUFFERED_BYTES),
  }
  const visits = new WeakMap<FastifyRequest, Visit>()
  deps.metrics.readServing({ inFlight: bounds.working.total, bufferedBytes: bounds.bytes.total })
  app.addHook('onRequest', (request, reply, done) => {
    if (isAlwaysAnswered(request)) return done()
    const visit = newVisit(senderOf(request.ip))
    requireSlot(bounds.bytes.take(visit.sender, 0))
    requireSlot(bounds.open.take(visit.sender, 1))
    visit.open = 1
    visits.set(request, visit)
    reply.raw.on('close', () => {
      visit.isOver = true
      // A running handler continues after the client hung up, and holds its share until it ends.
      if (visit.phase !== 'running') giveBack(bounds, visit)
    })
    done()
  })
  app.addHook('preParsing', (request, reply, payload: Readable, done) => {
    const visit = visits.get(request)
    const length = bodyLength(request)
    // If the body is not read, the connection discards it.
    if (visit === undefined || length === 0 || !isBodyRead(request.method)) return done(null, payload)
    const announced = length !== null && length <= SMALL_BODY_BYTES ? length : 0
    try {
      if (announced > 0) hold(bounds, visit, announced)
    } catch (error) {
      reply.header('Connection', 'close')
      return done(error as Error)
    }
    // Most small bodies arrive together with their head.
    if (announced > 0 && payload.readableLength >= announced) return done(null, payload)
    done(null, countChunks(payload, { reply, visit, announced, count: (bytes) => hold(bounds, visit, bytes) }))
  })
  const begin = (visit: Visit, taken: Taken | 'gone') => {
    // The client hung up while its request waited.
    if (taken === 'gone') throw noRoom()
    requireSlot(taken)
    visit.working = 1
    visit.phase = 'running'
    // The client hung up at the moment the slot was granted.
    if (visit.isOver) {
      visit.phase = 'ran'
      giveBack(bounds, visit)
      throw noRoom()
    }
  }
  app.addHook('preHandler', (request, _reply, done) => {
    const visit = visits.get(request)
    if (visit === undefined || request.routeOptions.config.longLived === true) return done()
    // If the client hung up while a hook waited, the close event has passed and would never release the slot.
    if (visit.isOver) throw noRoom()
    const taken = bounds.queue.enter({ sender: visit.sender, isGone: () => visit.isOver })
    if (taken instanceof Promise) return void taken.then((later) => begin(visit, later)).then(() => done(), done)
    begin(visit, taken)
    done()
  })
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = async function (request, reply) {
      const visit = visits.get(request)
      if (visit === undefined) return handler.call(this, request, reply)
      try {
        // Does not run the handler, because the client hung up during a hook of the route.
        if (visit.isOver) throw noRoom()
        return await handler.call(this, request, reply)
      } finally {
        if (visit.phase === 'running') visit.phase = 'ran'
        if (visit.isOver) giveBack(bounds, visit)
      }
    }
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    const visit = visits.get(request)
    const size = sizeOf(payload)
    // A stream holds its slot until it ends. A long-lived stream would block slots, so its route limits it instead.
    if (visit !== undefined && (size !== null || request.routeOptions.config.longLived === true)) {
      visit.phase = 'answered'
      giveBack(bounds, visit)
      if (!visit.isOver) note(bounds, visit, size ?? 0)
    }
    done(null, payload)
  })
}

const newVisit = (sender: Sender): Visit => ({
  sender,
  phase: 'arriving',
  isOver: false,
  open: 0,
  working: 0,
  bytes: 0,
})

function hold(bounds: Bounds, visit: Visit, bytes: number): void {
  // This request is over. Bytes that are added now would never be released.
  if (visit.isOver) throw noRoom()
  requireSlot(bounds.bytes.take(visit.sender, bytes))
  visit.bytes += bytes
}

function note(bounds: Bounds, visit: Visit, bytes: number): void {
  bounds.bytes.note(visit.sender, bytes)
  visit.bytes += bytes
}

function giveBack(bounds: Bounds, visit: Visit): void {
  const { open, working, bytes } = visit
  visit.open = visit.working = visit.bytes = 0
  bounds.open.give(visit.sender, open)
  bounds.bytes.give(visit.sender, bytes)
  if (working > 0) bounds.queue.leave(visit.sender)
}

/**
 * Counts the bytes of a body that arrive beyond the announced length. Above the limit, reading stops and the client still
 * gets its response. After the response, connections.ts discards the rest.
 */
function countChunks(
  payload: Readable,
  input: {
    readonly reply: FastifyReply
    readonly visit: Visit
    readonly announced: number
    readonly count: (bytes: number) => void
  },
): Readable {
  const { reply, visit, announced, count } = input
  let weight = 0
  const counter = new PassThrough()
  // If no handler reads the body, this error has no other listener. Then another response was already sent.
  counter.on('error', () => undefined)
  const stop = (error: unknown) => {
    payload.unpipe(counter)
    counter.destroy(error as Error)
    payload.resume()
  }
  payload.on('data', (chunk: Buffer) => {
    if (counter.destroyed) return
    if (visit.phase === 'answered') return stop(undefined)
    const before = Math.max(weight, announced)
    weight += weightOf(chunk)
    try {
      if (weight > before) count(weight - before)
    } catch (error) {
      reply.header('Connection', 'close')
      stop(error)
    }
  })
  payload.once('error', stop)
  payload.pipe(counter)
  return counter
}

/** The body's content length; null if it has none. */
function bodyLength(request: FastifyRequest): number | null {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  return encoding === undefined ? Number(length ?? 0) : null
}

/** null for a stream. */
function sizeOf(payload: unknown): number | null {
  if (payload === null || payload === undefined) return 0
  if (typeof payload === 'string') return Buffer.byteLength(payload)
  return payload instanceof Uint8Array ? payload.length : null
}

function requireSlot(taken: Taken): void {
  if (taken === 'own_share_spent') throw new Refusal('rate_limit_exceeded', { retryAfterSeconds: 1 })
  if (taken === 'all_spent') throw noRoom()
}

const isAlwaysAnswered = ({ routeOptions: { url } }: FastifyRequest) => url === '/healthz' || url === '/readyz'
const noRoom = () => new Refusal('unavailable', { retryAfterSeconds: 1, missing: 'room' })
