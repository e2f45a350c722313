// Webhooks: the secret, the delivery log, destinations that keep failing.

import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import {
  describeWebhookSecret,
  rotateSecret,
  showWebhookSecret,
} from '../../usecases/webhooks/manage-webhook-secret.ts'
import { readDeliveries, resendDelivery } from '../../usecases/webhooks/read-deliveries.ts'
import { renderDelivery } from '../../usecases/webhooks/render-delivery.ts'
import { enableWebhookDestination, listDestinations } from '../../usecases/webhooks/watch-destinations.ts'
import { lastPlainHttpWebhook } from '../../usecases/webhooks/watch-plain-http.ts'
import type { App } from '../app.ts'
import { parsePageBound } from '../page-bound.ts'
import { permitted, staffOf } from './access.ts'
import { Empty, Line, PAGE_SIZE, RealmAndId, RealmParams } from './fields.ts'

export function addWebhookRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/webhooks'),
    schema: { hide: true, params: RealmParams },
    handler: async (request) => {
      const { realm } = staffOf(request)
      const secret = await describeWebhookSecret(deps, realm)
      const destinations = await listDestinations(deps, realm)
      const plainHttpAt = realm.environment === 'live' ? await lastPlainHttpWebhook(deps, realm.tenantId) : null
      return {
        secret: secret === null ? null : { created_at: secret.createdAt, previous_until: secret.previousUntil },
        plain_http_at: plainHttpAt,
        destinations: destinations.map(({ origin, failingSince, failures, disabledAt }) => ({
          origin,
          failing_since: failingSince,
          failures,
          disabled_at: disabledAt,
        })),
      }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/webhooks/destinations/enable'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object({ origin: Line(2048) }, { additionalProperties: false }),
    },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const destination = { ...realm, origin: request.body.origin }
      if (!(await enableWebhookDestination(deps, { destination, actor }))) throw new Refusal('not_found')
      return {}
    },
  })
  addSecretRoutes(app, deps)
  addDeliveryRoutes(app, deps)
}

function addSecretRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'POST @/webhooks/secret/show'),
    schema: { hide: true, params: RealmParams, body: Empty },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const { secret, previousUntil } = await showWebhookSecret(deps, { realm, actor })
      return { secret, previous_until: previousUntil }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/webhooks/secret/rotate'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object({ end_previous: Type.Boolean() }, { additionalProperties: false }),
    },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const rotated = await rotateSecret(deps, { realm, actor, endPrevious: request.body.end_previous })
      return { secret: rotated.secret, previous_until: rotated.previousUntil }
    },
  })
}

function addDeliveryRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/deliveries'),
    schema: {
      hide: true,
      params: RealmParams,
      querystring: Type.Object(
        { before: Type.Optional(Type.String({ maxLength: 40 })) },
        { additionalProperties: false },
      ),
    },
    handler: async (request) => {
      const { before } = request.query
      const deliveries = await readDeliveries(deps, {
        realm: staffOf(request).realm,
        limit: PAGE_SIZE,
        before: before === undefined ? null : parsePageBound(before),
        verificationId: null,
      })
      const next = deliveries.length === PAGE_SIZE ? deliveries.at(-1)?.createdAt : null
      return { data: deliveries.map(renderDelivery), next: next ?? null }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/deliveries/:id/resend'),
    schema: { hide: true, params: RealmAndId, body: Empty },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const end = await resendDelivery(deps, { realm, deliveryId: request.params.id, actor })
      if (end === null) throw new Refusal('not_found')
      return { outcome: end.outcome, http_status: end.httpStatus }
    },
  })
}
