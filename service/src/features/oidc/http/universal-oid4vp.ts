// Serves the Universal OID4VP API 0.1.0 (/oid4vp/backend/auth/requests), with our API keys and scopes.

import encodeQR from 'qr'
import { Type } from 'typebox'
import { UniversalRequest, UniversalRequestMade, UniversalRequestStatus } from '../../../../../wire/universal.ts'
import { refusals } from '../../../core/http/envelope-schema.ts'
import { principalOf, readerOf, withScope } from '../../../core/http/principal.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { createUniversalRequest, readUniversalRequest, removeUniversalRequest } from '../usecases/universal-requests.ts'

const PATH = '/oid4vp/backend/auth/requests'
const AUTHENTICATED = ['invalid_api_key', 'api_key_expired', 'insufficient_scope'] as const
const Params = Type.Object({ correlation_id: Type.String() })

export function addUniversalRoutes(app: App, deps: Deps): void {
  const tags = ['Universal OID4VP']
  app.post(
    PATH,
    {
      ...withScope(deps, 'verifications:create'),
      schema: {
        operationId: 'createUniversalRequest',
        tags,
        summary: 'Create a request from a template',
        body: UniversalRequest,
        response: {
          201: UniversalRequestMade,
          ...refusals(
            ...(['invalid_request', ...AUTHENTICATED, 'template_not_allowed', 'idempotency_key_in_flight'] as const),
            ...(['unknown_template', 'invalid_webhook_url', 'not_registered', 'over_asking'] as const),
            ...(['invalid_transaction', 'transaction_not_supported_for_credential'] as const),
            ...(['idempotency_key_reused', 'quota_exceeded'] as const),
          ),
        },
      },
    },
    async (request, reply) => {
      const created = await createUniversalRequest(deps, { principal: principalOf(request), request: request.body })
      const code = request.body.qr_code === undefined ? {} : { qr_uri: qrUriOf(created.request_uri) }
      return sendJson(reply, 201, JSON.stringify({ ...created, ...code }))
    },
  )
  app.get(
    `${PATH}/:correlation_id`,
    {
      ...withScope(deps, 'verifications:read'),
      schema: {
        operationId: 'getUniversalRequest',
        tags,
        summary: 'Read the status and the result',
        params: Params,
        response: { 200: UniversalRequestStatus, ...refusals(...AUTHENTICATED, 'session_not_found') },
      },
    },
    async (request, reply) => {
      const input = { ...readerOf(deps, request), correlationId: request.params.correlation_id }
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
        summary: 'Erase a request and everything derived from it',
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
