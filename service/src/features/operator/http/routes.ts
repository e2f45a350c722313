// Operator routes: liveness, readiness, metrics, and whether a tenant has moved here.

import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Health } from '../../../../../wire/errors.ts'
import { refusals } from '../../../core/http/envelope-schema.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { forOperators, withoutKey } from '../../../platform/http/access.ts'
import { isTrustedProxy } from '../../../platform/http/address.ts'
import type { App } from '../../../platform/http/app.ts'
import { createReadiness } from '../usecases/check-readiness.ts'
import { isArrivedHere } from '../usecases/moving/whereabouts.ts'

const LOOPBACK = ['127.0.0.1', '::1', '::ffff:127.0.0.1']
/** Headers that proxies add. A proxy that adds none of them passes on the requested host name. */
const FORWARDED = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via']
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/

const ArrivalParams = Type.Object({ tenant: Type.String({ minLength: 1, maxLength: 40 }) })
const Arrival = Type.Object({ arrived: Type.Literal(true) })

export function addOperatorRoutes(app: App, deps: Deps): void {
  const plain = { ...forOperators(), schema: { hide: true } }
  const readiness = createReadiness(deps)
  app.get('/healthz', { ...forOperators(), schema: { hide: true, response: { 200: Health } } }, async () => ({
    status: 'ok' as const,
  }))
  app.get(
    '/readyz',
    { ...forOperators(), schema: { hide: true, response: { 200: Health, ...refusals() } } },
    async () => {
      if (app.draining.hasBegun())
        throw new Refusal('unavailable', {
          message: 'The service is stopping.',
          retryAfterSeconds: 1,
          missing: 'stopping',
        })
      await readiness.check()
      return { status: 'ok' as const }
    },
  )
  app.get('/metrics', plain, async (request, reply) => {
    if (!mayReadMetrics(deps, request)) throw new Refusal('not_found')
    reply.type(deps.metrics.registry.contentType)
    return deps.metrics.registry.metrics()
  })
  const schema = { hide: true, params: ArrivalParams, response: { 200: Arrival, ...refusals('not_found') } }
  app.get('/arrived/:tenant', { ...withoutKey(deps), schema }, async (request, reply) => {
    // Reveals only what the redirect of the tenant's old address reveals: all other tenants get the same 404.
    if (!(await isArrivedHere(deps, request.params.tenant))) throw new Refusal('not_found')
    reply.header('Cache-Control', 'no-store')
    return { arrived: true as const }
  })
}

/** If a token is set, only its owner may read them. Otherwise only this machine may, and never through a proxy. */
function mayReadMetrics(deps: Pick<Deps, 'config'>, request: FastifyRequest): boolean {
  const { metricsToken } = deps.config
  if (metricsToken === null) {
    const address = request.socket.remoteAddress ?? ''
    // Behind a proxy on this machine, all callers have its address, and a minimal proxy adds no header. In production
    // without a configured proxy, only a token is safe.
    if (deps.config.production && deps.config.trustedProxies.length === 0) return false
    if (!LOOPBACK.includes(address) || isTrustedProxy(deps, address)) return false
    if (FORWARDED.some((name) => request.headers[name] !== undefined)) return false
    return LOOPBACK_HOST.test(request.headers.host ?? '')
  }
  const received = Buffer.from(request.headers.authorization ?? '', 'utf8')
  const expected = Buffer.from(`Bearer ${metricsToken}`, 'utf8')
  return received.length === expected.length && timingSafeEqual(received, expected)
}
