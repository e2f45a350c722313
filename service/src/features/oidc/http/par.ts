// Serves the endpoint for pushed authorization requests (RFC 9126).

import { OidcPushed, PushForm } from '../../../../../wire/oidc.ts'
import { FORM_TYPE } from '../../../core/verifications/http/wallet/form.ts'
import { bodiesAreBytes } from '../../../core/verifications/http/wallet/guards.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { pushRequest } from '../usecases/push-request.ts'
import { clientCallOf, FAILURES, FORM_BYTES_MAX, formOf, withFailures } from './client-calls.ts'
import { addPreflight, forClients, realmOf } from './realm.ts'
import { REALM_PATH, RealmParams } from './schema.ts'

export function addPushRoutes(routes: App, deps: Deps): void {
  addPreflight(routes, deps, `${REALM_PATH}/par`, 'POST')
  routes.post(
    `${REALM_PATH}/par`,
    {
      ...forClients(deps),
      bodyLimit: FORM_BYTES_MAX,
      validatorCompiler: bodiesAreBytes,
      schema: {
        operationId: 'pushAuthorizationRequest',
        tags: ['OpenID provider'],
        summary: 'Push an authorization request',
        params: RealmParams,
        consumes: [FORM_TYPE],
        body: PushForm,
        response: { 201: OidcPushed, ...FAILURES },
      },
    },
    async (request, reply) => {
      const realm = realmOf(request.params)
      const { authorization, caller, admit, proof } = clientCallOf(deps, request, reply)
      return withFailures(deps, caller, async () => {
        const pushed = await pushRequest(deps, { realm, authorization, proof, form: formOf(request) }, admit)
        return sendJson(reply.header('Cache-Control', 'no-store'), 201, JSON.stringify(pushed))
      })
    },
  )
}
