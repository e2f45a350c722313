// Defines the routes for a tenant's OpenID clients: create, change, rotate the secret, remove.

import type { ChangeOidcClient } from '../../../../../wire/oidc-clients.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/index.ts'
import { type ClientTerms, type OidcClient, renderClient } from '../domain/client.ts'
import { issuerOf } from '../domain/issuer.ts'
import {
  type ClientChange,
  changeClient,
  createClient,
  readClients,
  removeClient,
  rotateClientSecret,
} from '../usecases/manage-clients.ts'

export function addClientRoutes(app: App, deps: Deps): void {
  app.route({
    // Fifty clients with long addresses and keys have 2 MB.
    ...permitted(deps, 'GET @/clients', () => 4),
    handler: async (request) => {
      const { realm } = staffOf(request)
      const data = (await readClients(deps, realm)).map(renderClient)
      return { issuer: issuerOf(deps.config.baseUrl, realm), data }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/clients'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const { auth_method: authMethod, ...terms } = request.body
      return render(await createClient(deps, { realm, actor, authMethod, terms: termsOf(terms) }))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/clients/:id'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const { subject_per_type: isOn } = request.body
      const terms = termsOf(request.body)
      // Turning it off changes the subjects of all accounts since: only the command line does.
      const change = (before: OidcClient) => ({ ...terms, subjectPerType: before.subjectPerType || isOn })
      return render(await changeClient(deps, { realm, actor, id: request.params.id, change }))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/clients/:id/secret'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      return render(await rotateClientSecret(deps, { realm, actor, id: request.params.id }))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/clients/:id/remove'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await removeClient(deps, { realm, actor, id: request.params.id }))) throw new Refusal('not_found')
      return {}
    },
  })
}

function termsOf(body: Omit<ChangeOidcClient, 'subject_per_type'>): ClientTerms {
  return {
    name: body.name,
    redirectUris: body.redirect_uris,
    templates: body.templates,
    defaultTemplate: body.default_template,
    subjectMode: body.subject_mode,
    subjectClaims: body.subject_claims,
    requireTrue: body.require_true,
    vpData: body.vp_data,
    verifiedClaims: body.verified_claims,
    claimsInIdToken: body.claims_in_id_token,
    idTokenAlg: body.id_token_alg,
    rememberMinutes: body.remember_minutes,
    crossDevice: body.cross_device,
    jwks: body.jwks,
    profile: body.profile,
    requestUris: body.request_uris,
  }
}

function render(change: ClientChange) {
  if (change.outcome === 'not_found') throw new Refusal('not_found')
  return change.outcome === 'refused'
    ? change
    : { outcome: change.outcome, client: renderClient(change.client), secret: change.secret }
}
