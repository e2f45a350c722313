// The application as a function: the routes, and what applies to all routes. main.ts owns the process.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type FastifyError, type FastifyRequest, fastify } from 'fastify'
import { realmOf } from './core/http/principal.ts'
import { addStatusRoute } from './core/verifications/http/status.ts'
import { openToEveryOrigin } from './core/verifications/http/wallet/cross-origin.ts'
import { addWalletRoutes } from './core/verifications/http/wallet/routes.ts'
import { addDashboardRoutes } from './dashboard-routes.ts'
import type { Deps } from './deps.ts'
import { addUnsubscribePage } from './features/alerts/http/unsubscribe.ts'
import { addReceiptPage } from './features/certificates/http/receipt-page.ts'
import { addDisplayRoutes } from './features/devices/http/display.ts'
import { addKioskRoute } from './features/devices/http/kiosk.ts'
import { addPairingRoute } from './features/devices/http/pairing.ts'
import { addDeviceRoutes } from './features/devices/http/routes.ts'
import { addTillRoutes } from './features/devices/http/till.ts'
import { addOpenApi } from './features/docs/openapi/routes.ts'
import { addLinkPages } from './features/links/http/pages.ts'
import { addOidcRoutes } from './features/oidc/http/routes.ts'
import { addOperatorRoutes } from './features/operator/http/routes.ts'
import { addFrontPage } from './features/pages/http/front-page.ts'
import { addPageRoutes } from './features/pages/http/routes.ts'
import { addSandboxPages } from './features/sandbox/http/sandbox-wallet.ts'
import { addLogRoutes } from './features/transparency/http/routes.ts'
import { addMerchantRoutes } from './merchant-routes.ts'
import { isTrustedProxy } from './platform/http/address.ts'
import type { App } from './platform/http/app.ts'
import { ANONYMOUS_BODY_BYTES_MAX, addBodyParsers } from './platform/http/body.ts'
import { addAddressBudget } from './platform/http/bounds/address-budget.ts'
import { addDraining } from './platform/http/bounds/draining.ts'
import { HEAD_BYTES_MAX } from './platform/http/bounds/limits.ts'
import { addOverloadBounds } from './platform/http/bounds/overload.ts'
import { answerClientError } from './platform/http/client-error.ts'
import { requestIdOf } from './platform/http/request-id.ts'
import { addQueryBound, readableTarget } from './platform/http/request-target.ts'
import { createRouteTable } from './platform/http/route-table.ts'
import { codeOf, sendProblem } from './platform/http/send-problem.ts'
import { createBoundedServer } from './platform/http/sockets/connections.ts'
import { addTracing, traceIdOf } from './platform/http/tracing.ts'
import { hstsOf, isHttps } from './platform/http/transport-security.ts'
import { addValidation, type WhenCompiled } from './platform/http/validation.ts'

export function buildApp(deps: Deps, validators: WhenCompiled = 'at start'): App {
  const app = fastify({
    logger: false,
    genReqId: (request) => requestIdOf(deps, request),
    requestIdHeader: false,
    bodyLimit: ANONYMOUS_BODY_BYTES_MAX,
    serverFactory: (handler) => createBoundedServer(deps, handler),
    return503OnClosing: false,
    // A long id is an unknown id, not an error.
    routerOptions: { maxParamLength: HEAD_BYTES_MAX },
    rewriteUrl: ({ url = '/' }) => readableTarget(url),
    trustProxy: (address) => isTrustedProxy(deps, address),
    frameworkErrors: (error, request, reply) => sendProblem(deps, error, request, reply),
    clientErrorHandler: (error, socket) => answerClientError(deps, error, socket),
  }).withTypeProvider<TypeBoxTypeProvider>()

  addBodyParsers(app)
  addValidation(app, validators)
  const table = createRouteTable()
  app.setErrorHandler((error: FastifyError, request, reply) => sendProblem(deps, error, request, reply))
  app.addHook('onRoute', table.add)
  app.decorate('knownRoutes', table.routes)
  addTracing(app, deps)
  addAccounting(app, deps)
  addDraining(app)
  addAddressBudget(app, deps)
  addOverloadBounds(app, deps)
  addQueryBound(app)
  // In a hook: a not-found handler runs after the body was read and parsed.
  app.addHook('onRequest', (request, _reply, done) => (request.is404 ? done(table.refusalFor(request.url)) : done()))

  addMerchantRoutes(app, deps)
  addStatusRoute(app, deps)
  addLogRoutes(app, deps)
  addDeviceRoutes(app, deps)
  addWalletRoutes(app, deps)
  const { sandbox } = deps
  addPageRoutes(app, deps, (routes, assets) => {
    if (sandbox !== null) addSandboxPages(routes, { ...deps, sandbox }, assets)
  })
  addLinkPages(app, deps)
  addReceiptPage(app, deps)
  addUnsubscribePage(app, deps)
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

/** Request ids, headers of every response, metrics, and the access log. */
function addAccounting(app: App, deps: Deps): void {
  const hsts = hstsOf(deps)
  app.addHook('onRequest', (request, reply, done) => {
    // Fastify takes names in lower case without converting them.
    reply.header('request-id', request.id)
    reply.header('cache-control', 'no-store')
    reply.header('x-content-type-options', 'nosniff')
    reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    reply.header('referrer-policy', 'no-referrer')
    if (isHttps(deps)) reply.header(hsts.name, hsts.value)
    if (request.routeOptions.config.access?.kind === 'wallet') openToEveryOrigin(reply)
    leaveOutEmptyBody(request)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
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
    done()
  })
}

/** Many clients send a content type with every request, even with a DELETE without a body. */
function leaveOutEmptyBody(request: FastifyRequest): void {
  const { headers } = request.raw
  const empty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  if (request.method === 'DELETE' && empty) delete headers['content-type']
}
