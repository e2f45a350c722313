// Routes for saved webhook addresses: create, change, remove, test.

import type { WebhookEndpointDraft } from '../../../../../wire/webhooks.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import { permitted, staffOf } from '../../staff/index.ts'
import { renderEndpoint } from '../domain/endpoint.ts'
import { sampleTypesOf } from '../domain/sample.ts'
import { removeEndpoint, saveEndpoint } from '../usecases/manage-endpoints.ts'
import { testEndpoint } from '../usecases/test-endpoint.ts'
import { BY_HAND } from './deliveries.ts'
import { renderAnswer, renderRequest } from './delivery-schema.ts'

const draftOf = ({ name, url, is_default: isDefault }: WebhookEndpointDraft) => ({
  name,
  url,
  isDefault,
})

export function addEndpointRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'POST @/webhooks/endpoints'),
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const saved = await saveEndpoint(deps, { realm, actor, id: null, draft: draftOf(request.body) })
      if (saved === null) throw new Refusal('not_found')
      return reply.code(201).send(renderEndpoint(saved))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/webhooks/endpoints/:id'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const saved = await saveEndpoint(deps, { realm, actor, id: request.params.id, draft: draftOf(request.body) })
      if (saved === null) throw new Refusal('not_found')
      return renderEndpoint(saved)
    },
  })
  app.route({
    ...permitted(deps, 'POST @/webhooks/endpoints/:id/remove'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await removeEndpoint(deps, { realm, actor, id: request.params.id }))) throw new Refusal('not_found')
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST @/webhooks/endpoints/:id/test'),
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const { type, newest_secret_only: newestSecretOnly } = request.body
      if (!sampleTypesOf(realm.environment).includes(type)) {
        throw new Refusal('invalid_request', {
          message: 'body.type: in live, test events of this type are not allowed.',
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
