// Resolves the realm of a path, and sets the CORS rules of its routes.

import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { openToEveryOrigin } from '../../../core/verifications/http/wallet/cross-origin.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Access } from '../../../platform/http/access.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import { senderOf } from '../../../platform/http/address.ts'
import type { App } from '../../../platform/http/app.ts'
import { failureGuardOf } from '../../../platform/http/bounds/failed-authentication.ts'
import { realmOfPath } from '../domain/issuer.ts'

/** Responds 404 if the path names no realm. */
export function realmOf(params: { readonly tenant: string; readonly environment: string }): Realm {
  const realm = realmOfPath(params.tenant, params.environment)
  if (realm === null) throw new Refusal('not_found')
  return realm
}

interface Guards {
  readonly config: { readonly access: Access }
  readonly onRequest: onRequestAsyncHookHandler
}

/** Any web page may call these routes: they use no cookie. */
export function openToPages(deps: Deps): Guards {
  const { config, onRequest } = withoutKey(deps)
  return {
    config,
    async onRequest(request: FastifyRequest, reply: FastifyReply) {
      openToEveryOrigin(reply)
      await onRequest.call(this, request, reply)
    },
  }
}

/** For callers with a secret. One client makes many calls from one address, so only failed calls are limited. */
export function forClients(deps: Deps): Guards {
  return {
    config: { access: { kind: 'oidc_client' } },
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      openToEveryOrigin(reply)
      failureGuardOf(deps).requireAllowed(senderOf(request.ip))
    },
  }
}

/** Answers CORS preflight requests. */
export function addPreflight(routes: App, deps: Deps, url: string, methods: string): void {
  routes.options(url, { ...openToPages(deps), schema: { hide: true } }, async (_request, reply) =>
    reply
      .header('Access-Control-Allow-Methods', methods)
      .header('Access-Control-Allow-Headers', 'Accept, Authorization, Content-Type, DPoP')
      .header('Access-Control-Max-Age', '7200')
      .code(204)
      .send(),
  )
}
