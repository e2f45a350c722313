// The tenant's OpenID clients: made, changed, given another secret, removed.

import { type Static, Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import {
  Answer,
  Count,
  Done,
  Empty,
  Instant,
  Line,
  List,
  Name,
  oneOf,
  orNull,
  Part,
  RealmAndId,
  RealmParams,
} from '../../staff/http/fields.ts'
import {
  AUTH_METHODS,
  CLIENT_BOUNDS,
  CLIENT_PROBLEMS,
  type ClientTerms,
  renderClient,
  SUBJECT_MODES,
} from '../domain/client.ts'
import { CROSS_DEVICE } from '../domain/confirmation.ts'
import { issuerOf } from '../domain/issuer.ts'
import { SIGNING_ALGS } from '../domain/jwt.ts'
import {
  type ClientChange,
  changeClient,
  createClient,
  readClients,
  removeClient,
  rotateClientSecret,
} from '../usecases/manage-clients.ts'

const Flag = Type.Boolean()

const Terms = {
  name: Name,
  redirect_uris: Type.Array(Line(CLIENT_BOUNDS.redirectUriLength), { maxItems: CLIENT_BOUNDS.redirectUris }),
  templates: Type.Array(Line(64), { maxItems: CLIENT_BOUNDS.templates }),
  default_template: orNull(Line(64)),
  subject_mode: oneOf(...SUBJECT_MODES),
  subject_claims: Type.Array(Line(CLIENT_BOUNDS.claimLength), { maxItems: CLIENT_BOUNDS.subjectClaims }),
  require_true: Flag,
  vp_data: Flag,
  verified_claims: Flag,
  id_token_alg: oneOf(...SIGNING_ALGS),
  remember_minutes: Type.Integer({ minimum: 0, maximum: CLIENT_BOUNDS.rememberMinutes }),
  cross_device: oneOf(...CROSS_DEVICE),
  jwks: orNull(Type.String({ maxLength: CLIENT_BOUNDS.jwksLength })),
}
const TermsBody = Type.Object(Terms, { additionalProperties: false })
const NewBody = Type.Object({ ...Terms, auth_method: oneOf(...AUTH_METHODS) }, { additionalProperties: false })

const Listed = Answer('OidcClient', {
  id: Type.String(),
  name: Type.String(),
  auth_method: oneOf(...AUTH_METHODS),
  redirect_uris: List(Type.String()),
  templates: List(Type.String()),
  default_template: orNull(Type.String()),
  subject_mode: oneOf(...SUBJECT_MODES),
  subject_claims: List(Type.String()),
  require_true: Flag,
  vp_data: Flag,
  verified_claims: Flag,
  id_token_alg: oneOf(...SIGNING_ALGS),
  remember_minutes: Count,
  cross_device: oneOf(...CROSS_DEVICE),
  jwks: orNull(Type.String()),
  created_at: Instant,
})
const Change = Type.Union(
  [
    Part({
      outcome: Type.Literal('done'),
      client: Listed,
      secret: orNull(Type.String({ description: 'A new one, told this once' })),
    }),
    Part({ outcome: Type.Literal('refused'), problem: oneOf(...CLIENT_PROBLEMS) }),
  ],
  { $id: 'OidcClientChange' },
)
const Listing = Answer('OidcClients', { issuer: Type.String(), data: List(Listed) })

export function addClientRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/clients'),
    schema: { hide: true, params: RealmParams, response: { 200: Listing } },
    handler: async (request) => {
      const { realm } = staffOf(request)
      const data = (await readClients(deps, realm)).map(renderClient)
      return { issuer: issuerOf(deps.config.baseUrl, realm), data }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/clients'),
    schema: { hide: true, params: RealmParams, body: NewBody, response: { 200: Change } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const { auth_method: authMethod, ...terms } = request.body
      return render(await createClient(deps, { realm, actor, authMethod, terms: termsOf(terms) }))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/clients/:id'),
    schema: { hide: true, params: RealmAndId, body: TermsBody, response: { 200: Change } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const terms = termsOf(request.body)
      return render(await changeClient(deps, { realm, actor, id: request.params.id, change: () => terms }))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/clients/:id/secret'),
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: Change } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      return render(await rotateClientSecret(deps, { realm, actor, id: request.params.id }))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/clients/:id/remove'),
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: Done } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await removeClient(deps, { realm, actor, id: request.params.id }))) throw new Refusal('not_found')
      return {}
    },
  })
}

function termsOf(body: Static<typeof TermsBody>): ClientTerms {
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
    idTokenAlg: body.id_token_alg,
    rememberMinutes: body.remember_minutes,
    crossDevice: body.cross_device,
    jwks: body.jwks,
  }
}

function render(change: ClientChange) {
  if (change.outcome === 'not_found') throw new Refusal('not_found')
  return change.outcome === 'refused'
    ? change
    : { outcome: change.outcome, client: renderClient(change.client), secret: change.secret }
}
