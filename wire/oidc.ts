// Describes what the OpenID provider sends: discovery, tokens and errors of OpenID Connect and OAuth 2.0.

import { type Static, Type } from 'typebox'

/** The errors of RFC 6749 §5.2 and RFC 6750 §3.1, which differ from this service's own envelope. */
export const OidcError = Type.Object(
  { error: Type.String(), error_description: Type.Optional(Type.String()) },
  { $id: 'OidcError', additionalProperties: false, description: 'As OAuth 2.0 writes it' },
)
export type OidcError = Static<typeof OidcError>

export const OidcDiscovery = Type.Object(
  { issuer: Type.String({ format: 'uri' }) },
  { $id: 'OidcDiscovery', additionalProperties: true, description: 'OpenID Connect Discovery 1.0' },
)
export type OidcDiscovery = Static<typeof OidcDiscovery>

export const OidcKeys = Type.Object(
  { keys: Type.Array(Type.Object({ kty: Type.String(), kid: Type.String() }, { additionalProperties: true })) },
  { $id: 'OidcKeys', additionalProperties: false, description: 'RFC 7517' },
)
export type OidcKeys = Static<typeof OidcKeys>

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
export type TokenForm = Static<typeof TokenForm>

/** An authorization request, with the client's authentication. */
export const PushForm = Type.Object(
  { client_id: Type.Optional(Type.String()), redirect_uri: Type.Optional(Type.String()) },
  { additionalProperties: true },
)
export type PushForm = Static<typeof PushForm>

export const OidcPushed = Type.Object(
  { request_uri: Type.String(), expires_in: Type.Integer() },
  { $id: 'OidcPushed', additionalProperties: false, description: 'RFC 9126' },
)
export type OidcPushed = Static<typeof OidcPushed>

export const OidcTokens = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Union([Type.Literal('Bearer'), Type.Literal('DPoP')]),
    expires_in: Type.Integer(),
    id_token: Type.String(),
  },
  { $id: 'OidcTokens', additionalProperties: false },
)
export type OidcTokens = Static<typeof OidcTokens>

export const OidcUserinfo = Type.Object(
  { sub: Type.String() },
  {
    $id: 'OidcUserinfo',
    additionalProperties: true,
    description: 'Signed (`application/jwt`) where that is asked for',
  },
)
export type OidcUserinfo = Static<typeof OidcUserinfo>
