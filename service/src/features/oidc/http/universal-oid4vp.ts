// /oid4vp/backend/auth/requests: the Universal OID4VP API (0.1.0), with API keys and scopes as everywhere.

import encodeQR from 'qr'
import { Type } from 'typebox'
import { refusals } from '../../../core/http/envelope-schema.ts'
import { principalOf, withScope } from '../../../core/http/principal.ts'
import { URL_LENGTH_MAX } from '../../../core/verifications/domain/request.ts'
import { UNIVERSAL_STATUSES } from '../../../core/verifications/domain/universal-status.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { createUniversalRequest, readUniversalRequest, removeUniversalRequest } from '../usecases/universal-requests.ts'

const PATH = '/oid4vp/backend/auth/requests'
const AUTHENTICATED = ['invalid_api_key', 'api_key_expired', 'insufficient_scope'] as const
const CorrelationId = Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' })
const Params = Type.Object({ correlation_id: Type.String() })

/** `transaction_data` is not taken: a member that would do nothing is refused. */
const Body = Type.Object(
  {
    query_id: Type.String({ minLength: 1, maxLength: 64, description: 'The key of a template' }),
    correlation_id: Type.Optional(CorrelationId),
    request_uri_base: Type.Optional(Type.String({ maxLength: URL_LENGTH_MAX, description: 'Always openid4vp://' })),
    request_uri_method: Type.Optional(Type.Union([Type.Literal('get'), Type.Literal('post')])),
    client_id: Type.Optional(Type.String({ maxLength: URL_LENGTH_MAX, description: 'Ignored: it is the certificate' })),
    response_type: Type.Optional(Type.Literal('vp_token')),
    response_mode: Type.Optional(Type.Union([Type.Literal('direct_post'), Type.Literal('direct_post.jwt')])),
    direct_post_response_redirect_uri: Type.Optional(Type.String({ minLength: 1, maxLength: URL_LENGTH_MAX })),
    callback: Type.Optional(
      Type.Object(
        {
          url: Type.String({ minLength: 1, maxLength: URL_LENGTH_MAX }),
          status: Type.Optional(
            Type.Array(Type.Union(UNIVERSAL_STATUSES.map((status) => Type.Literal(status))), { maxItems: 10 }),
          ),
        },
        { additionalProperties: false, description: 'Called when it has ended, signed as webhooks are' },
      ),
    ),
    qr_code: Type.Optional(Type.Object({ size: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_000 })) })),
  },
  { $id: 'UniversalRequest', additionalProperties: false },
)
const Made = Type.Object(
  {
    correlation_id: Type.String(),
    query_id: Type.String(),
    request_uri: Type.String(),
    status_uri: Type.String(),
    qr_uri: Type.Optional(Type.String()),
  },
  { $id: 'UniversalRequestMade', additionalProperties: false },
)
const Status = Type.Object(
  {
    status: Type.Union(UNIVERSAL_STATUSES.map((status) => Type.Literal(status))),
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

export function addUniversalRoutes(app: App, deps: Deps): void {
  const tags = ['Universal OID4VP']
  app.post(
    PATH,
    {
      ...withScope(deps, 'verifications:create'),
      schema: {
        operationId: 'createUniversalRequest',
        tags,
        summary: 'Ask by a template',
        body: Body,
        response: {
          201: Made,
          ...refusals(
            ...(['invalid_request', ...AUTHENTICATED, 'template_not_allowed', 'idempotency_key_in_flight'] as const),
            ...(['unknown_template', 'invalid_webhook_url', 'not_registered', 'over_asking'] as const),
            ...(['idempotency_key_reused', 'quota_exceeded'] as const),
          ),
        },
      },
    },
    async (request, reply) => {
      const made = await createUniversalRequest(deps, { principal: principalOf(request), request: request.body })
      const code = request.body.qr_code === undefined ? {} : { qr_uri: qrUriOf(made.request_uri) }
      return sendJson(reply, 201, JSON.stringify({ ...made, ...code }))
    },
  )
  app.get(
    `${PATH}/:correlation_id`,
    {
      ...withScope(deps, 'verifications:read'),
      schema: {
        operationId: 'getUniversalRequest',
        tags,
        summary: 'How it stands, and what was shown',
        params: Params,
        response: { 200: Status, ...refusals(...AUTHENTICATED, 'session_not_found') },
      },
    },
    async (request, reply) => {
      const input = { principal: principalOf(request), correlationId: request.params.correlation_id }
      return sendJson(reply, 200, JSON.stringify(await readUniversalRequest(deps, input)))
    },
  )
  app.delete(
    `${PATH}/:correlation_id`,
    {
      ...withScope(deps, 'verifications:delete'),
      schema: {
        operationId: 'deleteUniversalRequest',
        tags,
        summary: 'Erase it and everything derived from it',
        params: Params,
        response: {
          204: Type.Unsafe<null>({ description: 'Erased', produces: [] }),
          ...refusals(...AUTHENTICATED, 'session_not_found'),
        },
      },
    },
    async (request, reply) => {
      await removeUniversalRequest(deps, {
        principal: principalOf(request),
        correlationId: request.params.correlation_id,
      })
      return reply.code(204).send(null)
    },
  )
}

const qrUriOf = (text: string) =>
  `data:image/svg+xml;base64,${Buffer.from(encodeQR(text, 'svg', { ecc: 'medium', border: 2 })).toString('base64')}`
