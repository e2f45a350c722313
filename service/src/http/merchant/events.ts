// GET /dev/events: the stream behind `vidimus listen`. For the test environment, outside the versioned API.

import { PassThrough } from 'node:stream'
import type { Deps } from '../../deps.ts'
import { streamEvents } from '../../usecases/stream-events.ts'
import type { App } from '../app.ts'
import { principalOf, withScope } from '../principal.ts'

/** Keeps proxies from closing a quiet connection. */
const HEARTBEAT_MS = 15_000

export function addEventRoutes(app: App, deps: Deps): void {
  const open = new Set<PassThrough>()
  app.addHook('preClose', async () => {
    for (const stream of open) stream.end()
  })
  app.get(
    '/dev/events',
    { ...withScope(deps, 'verifications:read'), schema: { hide: true } },
    async (request, reply) => {
      const stream = new PassThrough()
      const stop = await streamEvents(deps, principalOf(request), ({ headers, body }) => {
        stream.write(`data: ${JSON.stringify({ headers, body: body.toString('base64') })}\n\n`)
      })
      const heartbeat = setInterval(() => stream.write(': \n\n'), HEARTBEAT_MS)
      open.add(stream)
      request.raw.once('close', () => {
        clearInterval(heartbeat)
        open.delete(stream)
        stream.end()
        stop().catch((error) => deps.log.fault('a stream of events was not closed', error))
      })
      stream.write(': listening\n\n')
      return reply.type('text/event-stream').send(stream)
    },
  )
}
