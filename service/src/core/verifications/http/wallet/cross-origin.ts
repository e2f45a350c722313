// Wallets that live in a browser: any page may ask, none with cookies, for nothing here knows any.

import type { FastifyReply } from 'fastify'
import type { Deps } from '../../../../deps.ts'
import type { App } from '../../../../platform/http/app.ts'
import { withoutKey } from '../../../http/principal.ts'

/** Refusals too: a wallet must be able to read why. */
export function openToEveryOrigin(reply: FastifyReply): void {
  reply.header('Access-Control-Allow-Origin', '*')
  reply.header('Access-Control-Expose-Headers', 'Request-Id, Retry-After')
}

/** What a browser asks before a request it does not call simple. */
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
