// Webhooks: the secret, the delivery log, destinations that keep failing.

import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { renderDestination } from '../../domain/webhook/destination.ts'
import { renderDelivery } from '../../domain/webhook/logged-delivery.ts'
import { renderWebhookSecret } from '../../domain/webhook/signature.ts'
import {
  describeWebhookSecret,
  rotateSecret,
  showWebhookSecret,
} from '../../usecases/webhooks/manage-webhook-secret.ts'
import { readDeliveries, resendDelivery } from '../../usecases/webhooks/read-deliveries.ts'
import { enableWebhookDestination, listDestinations } from '../../usecases/webhooks/watch-destinations.ts'
import { lastPlainHttpWebhook } from '../../usecases/webhooks/watch-plain-http.ts'
import type { App } from '../app.ts'
import { parsePageBound } from '../page-bound.ts'
import { permitted, staffOf } from './access.ts'
import { Delivery } from './delivery-schema.ts'
import {
  Answer,
  Count,
  Done,
  Empty,
  Instant,
  Line,
  List,
  orNull,
  PAGE_SIZE,
  Part,
  RealmAndId,
  RealmParams,
} from './fields.ts'

const Webhooks = Answer('Webhooks', {
  secret: orNull(Part({ created_at: Instant, previous_until: orNull(Instant) })),
  plain_http_at: orNull(
    Type.String({ format: 'date-time', description: 'When a live webhook last went over plain http' }),
  ),
  destinations: List(
    Part({ origin: Type.String(), failing_since: Instant, failures: Count, disabled_at: orNull(Instant) }),
  ),
})
const WebhookSecret = Answer('WebhookSecret', {
  secret: Type.String(),
  created_at: Instant,
  previous_until: orNull(Instant),
})
const Attempted = Part({ outcome: Type.String(), http_status: orNull(Type.Integer()) })

export function addWebhookRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/webhooks'),
    schema: { hide: true, params: RealmParams, response: { 200: Webhooks } },
    handler: async (request) => {
      const { realm } = staffOf(request)
      const secret = await describeWebhookSecret(deps, realm)
      const destinations = await listDestinations(deps, realm)
      const plainHttpAt = realm.environment === 'live' ? await lastPlainHttpWebhook(deps, realm.tenantId) : null
      return {
        secret: secret === null ? null : { created_at: secret.createdAt, previous_until: secret.previousUntil },
        plain_http_at: plainHttpAt,
        destinations: destinations.map(renderDestination),
      }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/webhooks/destinations/enable'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object({ origin: Line(2048) }, { additionalProperties: false }),
      response: { 200: Done },
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
    schema: { hide: true, params: RealmParams, body: Empty, response: { 200: WebhookSecret } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      return renderWebhookSecret(await showWebhookSecret(deps, { realm, actor }))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/webhooks/secret/rotate'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object({ end_previous: Type.Boolean() }, { additionalProperties: false }),
      response: { 200: WebhookSecret },
    },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const endPrevious = request.body.end_previous
      return renderWebhookSecret(await rotateSecret(deps, { realm, actor, endPrevious }))
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
      response: { 200: Part({ data: List(Delivery), next: orNull(Instant) }) },
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
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: Attempted } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const end = await resendDelivery(deps, { realm, deliveryId: request.params.id, actor })
      if (end === null) throw new Refusal('not_found')
      return { outcome: end.outcome, http_status: end.httpStatus }
    },
  })
}
