// Opens one span per request; all work for the request is below it. Without a collector no hooks are added.

import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import type { RequestSpan } from '../traces/traces.ts'
import { isTrustedProxy } from './address.ts'
import type { App } from './app.ts'
import { codeOf } from './send-problem.ts'

const spans = new WeakMap<FastifyRequest, RequestSpan>()

export const traceIdOf = (request: FastifyRequest): string | undefined => spans.get(request)?.traceId

export function addTracing(app: App, deps: Pick<Deps, 'config' | 'traces'>): void {
  const { traces } = deps
  if (traces === null) return
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers
    const isBelieved = isTrustedProxy(deps, request.socket.remoteAddress ?? '') && typeof traceparent === 'string'
    const span = traces.begin({
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      traceparent: isBelieved ? traceparent : null,
    })
    spans.set(request, span)
    span.run(done)
  })
  // A body arrives in the context of its connection, so this hook restores the context of the request.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request)
    if (span === undefined) done()
    else span.run(done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    spans.get(request)?.end(reply.statusCode, codeOf(request) ?? null)
    done()
  })
}
