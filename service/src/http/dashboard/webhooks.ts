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
import { enableWebhookDestination, listDestinations } from '../../usecases/webhooks/watch-destinations.ts'
import type { App } from '../app.ts'
import { parsePageBound } from '../page-bound.ts'
import { permitted, staffOf } from './access.ts'
import { Empty, Line, PAGE_SIZE, PlaceAndId, PlaceParams } from './fields.ts'
import { renderDelivery } from './render-delivery.ts'

export function addWebhookRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/webhooks'),
    schema: { hide: true, params: PlaceParams },
    handler: async (request) => {
      const { place } = staffOf(request)
      const secret = await describeWebhookSecret(deps, place)
      const destinations = await listDestinations(deps, place)
      return {
        secret: secret === null ? null : { created_at: secret.createdAt, previous_until: secret.previousUntil },
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
      params: PlaceParams,
      body: Type.Object({ origin: Line(2048) }, { additionalProperties: false }),
    },
    handler: async (request) => {
      const { place, actor } = staffOf(request)
      const destination = { ...place, origin: request.body.origin }
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
    schema: { hide: true, params: PlaceParams, body: Empty },
    handler: async (request) => {
      const { place, actor } = staffOf(request)
      const { secret, previousUntil } = await showWebhookSecret(deps, { place, actor })
      return { secret, previous_until: previousUntil }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/webhooks/secret/rotate'),
    schema: {
      hide: true,
      params: PlaceParams,
      body: Type.Object({ end_previous: Type.Boolean() }, { additionalProperties: false }),
    },
    handler: async (request) => {
      const { place, actor } = staffOf(request)
      const rotated = await rotateSecret(deps, { place, actor, endPrevious: request.body.end_previous })
      return { secret: rotated.secret, previous_until: rotated.previousUntil }
    },
  })
}

function addDeliveryRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/deliveries'),
    schema: {
      hide: true,
      params: PlaceParams,
      querystring: Type.Object(
        { before: Type.Optional(Type.String({ maxLength: 40 })) },
        { additionalProperties: false },
      ),
    },
    handler: async (request) => {
      const { before } = request.query
      const deliveries = await readDeliveries(deps, {
        place: staffOf(request).place,
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
    schema: { hide: true, params: PlaceAndId, body: Empty },
    handler: async (request) => {
      const { place, actor } = staffOf(request)
      const end = await resendDelivery(deps, { place, deliveryId: request.params.id, actor })
      if (end === null) throw new Refusal('not_found')
      return { outcome: end.outcome, http_status: end.httpStatus }
    },
  })
}
