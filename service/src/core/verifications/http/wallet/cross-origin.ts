// Allows wallets that run in a browser by CORS. Any page may call these routes, because they use no cookies.

import type { FastifyReply } from 'fastify'
import type { Deps } from '../../../../deps.ts'
import { withoutKey } from '../../../../platform/http/access.ts'
import type { App } from '../../../../platform/http/app.ts'

/** Applies to refusals too: a wallet must be able to read the reason. */
export function openToEveryOrigin(reply: FastifyReply): void {
  reply.header('Access-Control-Allow-Origin', '*')
  reply.header('Access-Control-Expose-Headers', 'Request-Id, Retry-After')
}

/** Answers the preflight for requests that are not simple. */
export function addPreflights(routes: App, deps: Deps): void {
  for (const [url, methods] of [
    ['/wallet/request/:sessionId', 'GET, POST'],
    ['/wallet/response/:sessionId', 'POST'],
  ] as const) {
    routes.options(url, { ...withoutKey(deps, 'wallet'), schema: { hide: true } }, async (_request, reply) =>
      reply
        .header('Access-Control-Allow-Methods', methods)
        .header('Access-Control-Allow-Headers', 'Accept, Content-Type')
        .header('Access-Control-Max-Age', '7200')
        .code(204)
        .send(),
    )
  }
}
