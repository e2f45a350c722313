// Routes for the progress of a verification: a stream of steps, limited per address and in total, or polling.

import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Step } from '../../../core/verifications/domain/progress.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import { senderOf } from '../../../platform/http/address.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import { pageStreamBound } from '../../../platform/http/bounds/limits.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { createShares } from '../../../platform/shares.ts'
import { followProgress, readStep } from '../usecases/follow-progress.ts'
import { createHeartbeats } from './heartbeats.ts'

const RETRY_MS = 2_000
/** An event instead of a comment, so that a page notices when heartbeats stop. */
const BEAT = 'event: beat\ndata: 1\n\n'

const IdParams = Type.Object({ id: Type.String() })

export function addProgressRoutes(routes: App, deps: Deps, bound = pageStreamBound(deps.config.waitingPagesMax)): void {
  const access = withoutKey(deps)
  const schema = { hide: true, params: IdParams }
  const spend = async (reply: FastifyReply, id: string) => {
    // Malformed ids get no bucket, because there is no limit to how many there are.
    if (!isVerificationId(id)) throw new Refusal('session_not_found')
    await spendBudget(deps, reply, { name: 'verification', key: id, budget: deps.config.rates.verification })
  }
  routes.get('/verify/:id/progress', { ...access, schema }, async (request, reply) => {
    const { id } = request.params
    await spend(reply, id)
    return sendJson(reply, 200, JSON.stringify({ step: await readStep(deps, id) }))
  })

  const open = new Set<PassThrough>()
  const shares = createShares(bound)
  const heartbeats = createHeartbeats(deps.clock.now)
  routes.addHook('preClose', async () => {
    heartbeats.close()
    for (const stream of open) stream.end()
  })
  const options = {
    ...access,
    async onRequest(this: App, request: FastifyRequest, reply: FastifyReply) {
      // Merchants' own pages use this route too. Knowing the id is enough.
      reply.header('Access-Control-Allow-Origin', '*')
      await access.onRequest.call(this, request, reply)
    },
    config: { ...access.config, longLived: true },
    schema,
    exposeHeadRoute: false,
  }
  routes.get('/verify/:id/events', options, async (request, reply) => {
    const { id } = request.params
    const sender = senderOf(request.ip)
    await spend(reply, id)
    if (shares.take(sender, 1) !== 'taken') throw tooManyStreams()
    const stream = new PassThrough()
    open.add(stream)
    stream.once('close', () => {
      open.delete(stream)
      shares.give(sender, 1)
    })
    // Closes when the client disconnects or everything is sent.
    reply.raw.once('close', () => stream.destroy())
    const beat = () => {
      // Writes directly to the response, because heartbeats are the only traffic of ten thousand waiting pages.
      const { headersSent, writableEnded, destroyed } = reply.raw
      if (headersSent && !writableEnded && !destroyed) reply.raw.write(BEAT)
    }
    await startStream(deps, { id, stream, addBeat: () => heartbeats.add(beat) }).catch((error) => {
      stream.destroy()
      throw error
    })
    if (stream.destroyed) throw new Refusal('unavailable', { retryAfterSeconds: 1 })
    return reply.type('text/event-stream').send(stream)
  })
}

const tooManyStreams = () =>
  new Refusal('rate_limit_exceeded', { message: 'Too many pages follow from here.', retryAfterSeconds: 15 })

/** A stream carries a few steps and heartbeats, so memory is bounded even if a client does not read. */
async function startStream(
  deps: Deps,
  { id, stream, addBeat }: { readonly id: string; readonly stream: PassThrough; addBeat(): () => void },
): Promise<void> {
  const send = (text: string) => {
    if (!stream.writableEnded && !stream.destroyed) stream.write(text)
  }
  // Staggers reconnections, so that clients that lost their connections together do not return together.
  const [chance = 0] = deps.random(1)
  send(`retry: ${RETRY_MS + chance * 8}\n\n`)
  const stop = await followProgress(deps, id, (step, isLast) => {
    send(renderStep(step))
    if (isLast) stream.end()
  })
  const stopBeating = addBeat()
  const leave = () => {
    stopBeating()
    stop()
  }
  // If the client disconnected while we subscribed, its close event has already fired.
  if (stream.destroyed) leave()
  else stream.once('close', leave)
}

const renderStep = (step: Step) => `data: ${step}\n\n`
