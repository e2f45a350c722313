// The application as a function: routes, and what holds for every one of them. The process is main.ts's.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type FastifyError, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Deps } from '../deps.ts'
import { isTrustedProxy } from './address.ts'
import type { App } from './app.ts'
import { addBodyParsers, JSON_BODY_BYTES_MAX } from './body.ts'
import { addAddressBudget } from './bounds/address-budget.ts'
import { createBoundedServer } from './bounds/connections.ts'
import { addDraining } from './bounds/draining.ts'
import { addOverloadBounds } from './bounds/overload.ts'
import { answerClientError } from './client-error.ts'
import { addDashboardRoutes } from './dashboard/routes.ts'
import { addDisplayRoutes } from './device/display.ts'
import { addKioskRoute } from './device/kiosk.ts'
import { addPairingRoute } from './device/pairing.ts'
import { addDeviceRoutes } from './device/routes.ts'
import { addLogRoutes } from './log/routes.ts'
import { addMerchantRoutes } from './merchant/routes.ts'
import { addOidcRoutes } from './oidc/routes.ts'
import { addOpenApi } from './openapi/routes.ts'
import { addOperatorRoutes } from './operator/routes.ts'
import { addFrontPage } from './pages/front-page.ts'
import { addPageRoutes } from './pages/routes.ts'
import { realmOf } from './principal.ts'
import { addStatusRoute } from './public/status.ts'
import { requestIdOf } from './request-id.ts'
import { createRouteTable } from './route-table.ts'
import { codeOf, sendProblem } from './send-problem.ts'
import { addTracing, traceIdOf } from './tracing.ts'
import { hstsOf, isHttps } from './transport-security.ts'
import { decodableTarget } from './undecodable-paths.ts'
import { addValidation, type WhenCompiled } from './validation.ts'
import { openToEveryOrigin } from './wallet/cross-origin.ts'
import { addWalletRoutes } from './wallet/routes.ts'
import { addTillRoutes } from './web-apps/till.ts'

export function buildApp(deps: Deps, validators: WhenCompiled = 'at start'): App {
  const app = fastify({
    logger: false,
    genReqId: (request) => requestIdOf(deps, request),
    requestIdHeader: false,
    bodyLimit: JSON_BODY_BYTES_MAX,
    serverFactory: (handler) => createBoundedServer(deps, handler),
    return503OnClosing: false,
    // The whole URL is bounded by Node's limit on headers; a long id is an unknown one, not a fault.
    routerOptions: { maxParamLength: 16_384 },
    rewriteUrl: ({ url = '/' }) => decodableTarget(url),
    trustProxy: (address) => isTrustedProxy(deps, address),
    frameworkErrors: (error, request, reply) => sendProblem(deps, error, request, reply),
    clientErrorHandler: (error, socket) => answerClientError(deps, error, socket),
  }).withTypeProvider<TypeBoxTypeProvider>()

  addBodyParsers(app)
  addValidation(app, validators)
  const table = createRouteTable()
  app.setErrorHandler((error: FastifyError, request, reply) => {
    // The framework's word to a method (QUERY) that must have a body, before it looks whether there is such a route.
    const isRouteless = error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'
    return sendProblem(deps, isRouteless ? table.refusalFor(request.url) : error, request, reply)
  })
  app.addHook('onRoute', table.add)
  app.decorate('knownRoutes', table.routes)
  app.setNotFoundHandler((request) => {
    throw table.refusalFor(request.url)
  })
  addTracing(app, deps)
  addAccounting(app, deps)
  addDraining(app)
  addAddressBudget(app, deps)
  addOverloadBounds(app, deps)

  addMerchantRoutes(app, deps)
  addStatusRoute(app, deps)
  addLogRoutes(app, deps)
  addDeviceRoutes(app, deps)
  addWalletRoutes(app, deps)
  addPageRoutes(app, deps)
  addOidcRoutes(app, deps)
  addFrontPage(app, deps)
  addTillRoutes(app, deps)
  addDisplayRoutes(app, deps)
  addKioskRoute(app, deps)
  addPairingRoute(app, deps)
  addDashboardRoutes(app, deps)
  addOperatorRoutes(app, deps)
  addOpenApi(app, deps, table)
  return app
}

/** Request ids, headers of every answer, counting, and the access log. */
function addAccounting(app: App, deps: Deps): void {
  const hsts = hstsOf(deps)
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('Request-Id', request.id)
    reply.header('Cache-Control', 'no-store')
    reply.header('X-Content-Type-Options', 'nosniff')
    reply.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
    reply.header('Referrer-Policy', 'no-referrer')
    if (isHttps(deps)) reply.header(hsts.name, hsts.value)
    if (request.routeOptions.config.access?.kind === 'wallet') openToEveryOrigin(reply)
    leaveOutEmptyBody(request)
  })
  app.addHook('onResponse', async (request: FastifyRequest, reply: FastifyReply) => {
    const route = request.routeOptions.url ?? 'none'
    deps.metrics.requests.inc({ route, method: request.method, status: reply.statusCode })
    deps.metrics.latency.observe({ route, method: request.method }, reply.elapsedTime / 1000)
    const realm = realmOf(request)
    deps.log.info('request', {
      request_id: request.id,
      trace_id: traceIdOf(request),
      method: request.method,
      route,
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
      code: codeOf(request),
      tenant: realm?.tenantId,
      environment: realm?.environment,
    })
  })
}

/** Many clients send a content type with every request; a DELETE without a body has none to speak of. */
function leaveOutEmptyBody(request: FastifyRequest): void {
  const { headers } = request.raw
  const empty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  if (request.method === 'DELETE' && empty) delete headers['content-type']
}
