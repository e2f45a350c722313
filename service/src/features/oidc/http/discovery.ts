// Serves the discovery document and the public signing keys of a realm's issuer.

import { LANGUAGES } from '../../../../../labels/catalogue.ts'
import { OidcDiscovery, OidcKeys } from '../../../../../wire/oidc.ts'
import { refusals } from '../../../core/http/envelope-schema.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { describeKeys, describeProvider } from '../usecases/describe-provider.ts'
import { openToPages, realmOf } from './realm.ts'
import { REALM_PATH, RealmParams } from './schema.ts'

/** Much shorter than the time between the publication of a new key and its first signature. */
const CACHED = 'public, max-age=3600'

export function addDiscoveryRoutes(routes: App, deps: Deps): void {
  routes.get(
    `${REALM_PATH}/.well-known/openid-configuration`,
    {
      ...openToPages(deps),
      schema: {
        operationId: 'discoverProvider',
        tags: ['OpenID provider'],
        summary: "Get the configuration of a tenant's OpenID provider",
        params: RealmParams,
        response: { 200: OidcDiscovery, ...refusals('not_found') },
      },
    },
    async (request, reply) => {
      const found = await describeProvider(deps, { realm: realmOf(request.params), languages: LANGUAGES })
      if (found === null) throw new Refusal('not_found')
      return sendJson(reply.header('Cache-Control', CACHED), 200, JSON.stringify(found))
    },
  )
  routes.get(
    `${REALM_PATH}/jwks`,
    {
      ...openToPages(deps),
      schema: {
        operationId: 'getProviderKeys',
        tags: ['OpenID provider'],
        summary: 'Get the public keys of the tokens',
        params: RealmParams,
        response: { 200: OidcKeys, ...refusals('not_found') },
      },
    },
    async (request, reply) => {
      const found = await describeKeys(deps, realmOf(request.params))
      if (found === null) throw new Refusal('not_found')
      return sendJson(reply.header('Cache-Control', CACHED), 200, JSON.stringify(found))
    },
  )
}
