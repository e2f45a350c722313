// GET /dev/events: the stream behind `vidimus listen`. Test environment only, outside the versioned API.

import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { authenticate, principalOf, withScope } from '../../../core/http/principal.ts'
import { principalId } from '../../../core/tenants/domain/principal.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { STREAM_UNREAD_BYTES_MAX, STREAMS, STREAMS_PER_KEY_MAX } from '../../../platform/http/bounds/limits.ts'
import { createShares } from '../../../platform/shares.ts'
import { type StreamedEvent, streamEvents } from '../usecases/stream-events.ts'

/** Keeps proxies from closing an idle connection. Each heartbeat also checks whether the key was revoked. */
const HEARTBEAT_MS = 15_000

export function addEventRoutes(app: App, deps: Deps): void {
  const open = new Map<PassThrough, string>()
  const tenants = createShares(STREAMS)
  app.addHook('preClose', async () => {
    for (const stream of open.keys()) stream.end()
  })
  const access = withScope(deps, 'verifications:read')
  const options = {
    ...access,
    config: { ...access.config, longLived: true },
    schema: { hide: true },
    exposeHeadRoute: false,
  }
  app.get('/dev/events', options, async (request, reply) => {
    const principal = principalOf(request)
    const owner = principalId(principal)
    const own = [...open.values()].filter((known) => known === owner).length
    // The tenant has its own limit, because it can create many keys.
    if (own >= STREAMS_PER_KEY_MAX || tenants.take([principal.tenantId], 1) !== 'taken') throw tooManyStreams()
    const stream = new PassThrough()
    open.set(stream, owner)
    stream.once('close', () => {
      open.delete(stream)
      tenants.give([principal.tenantId], 1)
    })
    // Closes when the client disconnects or everything is sent.
    reply.raw.once('close', () => stream.destroy())
    const stop = await startStream(deps, request, stream).catch((error) => {
      stream.destroy()
      throw error
    })
    const leave = () => void stop().catch((error) => deps.log.fault('a stream of events was not closed', error))
    if (stream.destroyed) {
      // The client may have disconnected while we subscribed, and its close event may have fired before.
      leave()
      throw new Refusal('unavailable', { retryAfterSeconds: 1 })
    }
    stream.once('close', leave)
    stream.write(': listening\n\n')
    return reply.type('text/event-stream').send(stream)
  })
}

const tooManyStreams = () =>
  new Refusal('rate_limit_exceeded', { message: 'Too many streams of events are open.', retryAfterSeconds: 15 })

/** Checks the key at every event and heartbeat, so that a revoked key gets no further events. */
async function startStream(deps: Deps, request: FastifyRequest, stream: PassThrough): Promise<() => Promise<void>> {
  const send = (text: string) => {
    if (stream.writableEnded) return
    stream.write(text)
    // Disconnects a client that reads too slowly, before unread events fill our memory.
    if (stream.writableLength > STREAM_UNREAD_BYTES_MAX) stream.destroy()
  }
  const whileKeyHolds = (text: string) =>
    authenticate(deps, request.headers.authorization).then(
      () => send(text),
      () => stream.end(),
    )
  const heartbeat = setInterval(() => void whileKeyHolds(': \n\n'), HEARTBEAT_MS)
  stream.once('close', () => clearInterval(heartbeat))
  return streamEvents(deps, principalOf(request), (event) => void whileKeyHolds(renderEvent(event)))
}

const renderEvent = ({ headers, body }: StreamedEvent) =>
  `data: ${JSON.stringify({ headers, body: body.toString('base64') })}\n\n`
