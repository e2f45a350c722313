// Describes the OpenID clients of a tenant.

import { type Static, Type } from 'typebox'
import { Closed, Count, Instant, Line, List, Name, oneOf, orNull } from './parts.ts'
import {
  AUTH_METHODS,
  CLIENT_BOUNDS,
  CLIENT_PROBLEMS,
  CLIENT_PROFILES,
  CROSS_DEVICE,
  SIGNING_ALGS,
  SUBJECT_MODES,
} from './values/oidc.ts'

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
  claims_in_id_token: Flag,
  id_token_alg: oneOf(...SIGNING_ALGS),
  remember_minutes: Type.Integer({ minimum: 0, maximum: CLIENT_BOUNDS.rememberMinutes }),
  cross_device: oneOf(...CROSS_DEVICE),
  jwks: orNull(Type.String({ maxLength: CLIENT_BOUNDS.jwksLength })),
  profile: oneOf(...CLIENT_PROFILES),
  request_uris: Type.Array(Line(CLIENT_BOUNDS.redirectUriLength), { maxItems: CLIENT_BOUNDS.requestUris }),
}

export const ChangeOidcClient = Type.Object({ ...Terms, subject_per_type: Flag }, { additionalProperties: false })
export type ChangeOidcClient = Static<typeof ChangeOidcClient>

export const CreateOidcClient = Type.Object(
  { ...Terms, auth_method: oneOf(...AUTH_METHODS) },
  { additionalProperties: false },
)
export type CreateOidcClient = Static<typeof CreateOidcClient>

export const OidcClient = Closed({
  id: Type.String(),
  name: Type.String(),
  auth_method: oneOf(...AUTH_METHODS),
  redirect_uris: List(Type.String()),
  templates: List(Type.String()),
  default_template: orNull(Type.String()),
  subject_mode: oneOf(...SUBJECT_MODES),
  subject_claims: List(Type.String()),
  subject_per_type: Flag,
  require_true: Flag,
  vp_data: Flag,
  verified_claims: Flag,
  claims_in_id_token: Flag,
  id_token_alg: oneOf(...SIGNING_ALGS),
  remember_minutes: Count,
  cross_device: oneOf(...CROSS_DEVICE),
  jwks: orNull(Type.String()),
  profile: oneOf(...CLIENT_PROFILES),
  request_uris: List(Type.String()),
  created_at: Instant,
})
export type OidcClient = Static<typeof OidcClient>

export const OidcClientChange = Type.Union([
  Closed({
    outcome: Type.Literal('done'),
    client: OidcClient,
    secret: orNull(Type.String({ description: 'The new secret, shown only once' })),
  }),
  Closed({ outcome: Type.Literal('refused'), problem: oneOf(...CLIENT_PROBLEMS) }),
])
export type OidcClientChange = Static<typeof OidcClientChange>

export const OidcClients = Closed({ issuer: Type.String(), data: List(OidcClient) })
export type OidcClients = Static<typeof OidcClients>
