// Saved addresses of webhooks: made, changed, removed, tried.

import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import {
  Answer,
  Count,
  Done,
  Empty,
  Instant,
  Line,
  Name,
  oneOf,
  orNull,
  RealmAndId,
  RealmParams,
} from '../../staff/http/fields.ts'
import { ENDPOINT_URL_MAX, renderEndpoint } from '../domain/endpoint.ts'
import { SAMPLE_TYPES, sampleTypesOf } from '../domain/sample.ts'
import { removeEndpoint, saveEndpoint } from '../usecases/manage-endpoints.ts'
import { testEndpoint } from '../usecases/test-endpoint.ts'
import { BY_HAND } from './deliveries.ts'
import { renderAnswer, renderRequest, WebhookAnswer, WebhookRequest } from './delivery-schema.ts'

export const WebhookEndpoint = Answer('WebhookEndpoint', {
  id: Type.String(),
  name: Type.String(),
  url: Type.String({ description: 'Its origin for viewers' }),
  is_default: Type.Boolean(),
  created_at: Instant,
})
const TestedEndpoint = Answer('TestedEndpoint', {
  id: Type.String({ description: 'In the log of deliveries' }),
  outcome: Type.String(),
  http_status: orNull(Type.Integer()),
  took_ms: Count,
  request: WebhookRequest,
  answer: orNull(WebhookAnswer),
})

const Draft = Type.Object(
  { name: Name, url: Line(ENDPOINT_URL_MAX), is_default: Type.Boolean() },
  { additionalProperties: false },
)
const draftOf = ({ name, url, is_default: isDefault }: Type.Static<typeof Draft>) => ({ name, url, isDefault })

export function addEndpointRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'POST @/webhooks/endpoints'),
    schema: { hide: true, params: RealmParams, body: Draft, response: { 201: WebhookEndpoint } },
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const saved = await saveEndpoint(deps, { realm, actor, id: null, draft: draftOf(request.body) })
      if (saved === null) throw new Refusal('not_found')
      return reply.code(201).send(renderEndpoint(saved))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/webhooks/endpoints/:id'),
    schema: { hide: true, params: RealmAndId, body: Draft, response: { 200: WebhookEndpoint } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const saved = await saveEndpoint(deps, { realm, actor, id: request.params.id, draft: draftOf(request.body) })
      if (saved === null) throw new Refusal('not_found')
      return renderEndpoint(saved)
    },
  })
  app.route({
    ...permitted(deps, 'POST @/webhooks/endpoints/:id/remove'),
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: Done } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await removeEndpoint(deps, { realm, actor, id: request.params.id }))) throw new Refusal('not_found')
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST @/webhooks/endpoints/:id/test'),
    schema: {
      hide: true,
      params: RealmAndId,
      body: Type.Object(
        { type: oneOf(...SAMPLE_TYPES), newest_secret_only: Type.Boolean() },
        { additionalProperties: false },
      ),
      response: { 200: TestedEndpoint },
    },
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const { type, newest_secret_only: newestSecretOnly } = request.body
      if (!sampleTypesOf(realm.environment).includes(type)) {
        throw new Refusal('invalid_request', {
          message: 'body.type: no test event says in live that somebody proved something.',
        })
      }
      await spendBudget(deps, reply, { name: 'webhook_by_hand', key: realm.tenantId, budget: BY_HAND })
      const tested = await testEndpoint(deps, { realm, actor, id: request.params.id, type, newestSecretOnly })
      if (tested === null) throw new Refusal('not_found')
      const { end, exchange } = tested
      return {
        id: tested.id,
        outcome: end.outcome,
        http_status: end.httpStatus,
        took_ms: exchange.tookMs,
        request: renderRequest(tested.request),
        answer: renderAnswer(exchange.answer),
      }
    },
  })
}
