// What the provider's routes take and answer, for the description and the tests.

import { Type } from 'typebox'

export const REALM_PATH = '/oidc/:tenant/:environment'
export const RealmParams = Type.Object({ tenant: Type.String(), environment: Type.String() })
export const SignInParams = Type.Object({ tenant: Type.String(), environment: Type.String(), id: Type.String() })

/** RFC 6749 §5.2 and RFC 6750 §3.1, not this service's own envelope. */
export const OidcError = Type.Object(
  { error: Type.String(), error_description: Type.Optional(Type.String()) },
  { $id: 'OidcError', additionalProperties: false, description: 'As OAuth 2.0 writes it' },
)

export const Discovery = Type.Object(
  { issuer: Type.String({ format: 'uri' }) },
  { $id: 'OidcDiscovery', additionalProperties: true, description: 'OpenID Connect Discovery 1.0' },
)

export const Jwks = Type.Object(
  { keys: Type.Array(Type.Object({ kty: Type.String(), kid: Type.String() }, { additionalProperties: true })) },
  { $id: 'OidcKeys', additionalProperties: false, description: 'RFC 7517' },
)

export const TokenForm = Type.Object({
  grant_type: Type.Literal('authorization_code'),
  code: Type.String(),
  redirect_uri: Type.String(),
  code_verifier: Type.Optional(Type.String()),
  client_id: Type.Optional(Type.String()),
  client_secret: Type.Optional(Type.String()),
  client_assertion_type: Type.Optional(Type.String()),
  client_assertion: Type.Optional(Type.String()),
})

export const Tokens = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer(),
    id_token: Type.String(),
  },
  { $id: 'OidcTokens', additionalProperties: false },
)

export const UserinfoClaims = Type.Object(
  { sub: Type.String() },
  {
    $id: 'OidcUserinfo',
    additionalProperties: true,
    description: 'Signed (`application/jwt`) where that is asked for',
  },
)
