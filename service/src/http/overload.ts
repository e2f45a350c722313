// The door that closes under overload: so many requests being worked on, so many still sending their bodies, and no more.
// Health is always answered, and streams that live long are bounded by their own route.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { Refusal } from '../domain/errors.ts'
import type { App } from './app.ts'

/** Open requests for each that may be worked on: slow senders cost a socket, not a slot at work. */
const OPEN_FOR_EACH_WORKING = 4

export function addOverloadDoor(app: App, deps: Pick<Deps, 'config' | 'metrics'>): void {
  const { requestsInFlightMax } = deps.config
  let open = 0
  let working = 0
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    open += 1
    reply.raw.once('close', () => {
      open -= 1
    })
    if (isAlwaysAnswered(request)) return
    if (open > requestsInFlightMax * OPEN_FOR_EACH_WORKING) throw full()
  })
  app.addHook('preHandler', async (request: FastifyRequest, reply: FastifyReply) => {
    if (isAlwaysAnswered(request) || request.routeOptions.config.longLived === true) return
    // Whoever hung up while a hook waited was closed then, and would never give the slot back.
    if (reply.raw.destroyed) throw full()
    working += 1
    deps.metrics.inFlight.set(working)
    reply.raw.once('close', () => {
      working -= 1
      deps.metrics.inFlight.set(working)
    })
    if (working > requestsInFlightMax) throw full()
  })
}

const isAlwaysAnswered = (request: FastifyRequest) => request.routeOptions.url === '/healthz'
const full = () => new Refusal('unavailable', { retryAfterSeconds: 1 })
