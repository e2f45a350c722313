// Describes the Universal OID4VP API (0.1.0).

import { type Static, Type } from 'typebox'
import { oneOf } from './parts.ts'
import { UNIVERSAL_STATUSES } from './values/oidc.ts'
import { TRANSACTION_MAX, URL_LENGTH_MAX } from './values/verifications.ts'

const CorrelationId = Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' })

export const UniversalRequest = Type.Object(
  {
    query_id: Type.String({ minLength: 1, maxLength: 64, description: 'The key of a template' }),
    correlation_id: Type.Optional(CorrelationId),
    request_uri_base: Type.Optional(Type.String({ maxLength: URL_LENGTH_MAX, description: 'Always openid4vp://' })),
    request_uri_method: Type.Optional(Type.Union([Type.Literal('get'), Type.Literal('post')])),
    client_id: Type.Optional(
      Type.String({ maxLength: URL_LENGTH_MAX, description: 'Ignored: it comes from the certificate' }),
    ),
    response_type: Type.Optional(Type.Literal('vp_token')),
    response_mode: Type.Optional(Type.Union([Type.Literal('direct_post'), Type.Literal('direct_post.jwt')])),
    direct_post_response_redirect_uri: Type.Optional(Type.String({ minLength: 1, maxLength: URL_LENGTH_MAX })),
    callback: Type.Optional(
      Type.Object(
        {
          url: Type.String({ minLength: 1, maxLength: URL_LENGTH_MAX }),
          status: Type.Optional(
            Type.Array(oneOf(...UNIVERSAL_STATUSES), {
              minItems: 1,
              maxItems: 10,
              description: 'The statuses to report. Absent: `authorization_response_verified` and `error`',
            }),
          ),
        },
        { additionalProperties: false, description: 'Called at these statuses, signed as webhooks are' },
      ),
    ),
    transaction_data: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: TRANSACTION_MAX.textLength }), {
        minItems: 1,
        maxItems: TRANSACTION_MAX.items,
        description: 'What the holder agrees to (OpenID4VP 5.1). The wallet gets these strings unchanged',
      }),
    ),
    qr_code: Type.Optional(Type.Object({ size: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_000 })) })),
  },
  { $id: 'UniversalRequest', additionalProperties: false },
)
export type UniversalRequest = Static<typeof UniversalRequest>

export const UniversalRequestMade = Type.Object(
  {
    correlation_id: Type.String(),
    query_id: Type.String(),
    request_uri: Type.String(),
    status_uri: Type.String(),
    qr_uri: Type.Optional(Type.String()),
  },
  { $id: 'UniversalRequestMade', additionalProperties: false },
)
export type UniversalRequestMade = Static<typeof UniversalRequestMade>

export const UniversalRequestStatus = Type.Object(
  {
    status: oneOf(...UNIVERSAL_STATUSES),
    correlation_id: Type.String(),
    query_id: Type.String(),
    last_updated: Type.Integer({ description: 'Milliseconds since the epoch' }),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() }, { additionalProperties: false })),
    verified_data: Type.Optional(
      Type.Object(
        {
          credential_claims: Type.Array(
            Type.Object(
              { id: Type.String(), type: Type.String(), claims: Type.Unsafe<object>({ type: 'object' }) },
              { additionalProperties: false },
            ),
          ),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'UniversalRequestStatus', additionalProperties: false },
)
export type UniversalRequestStatus = Static<typeof UniversalRequestStatus>
