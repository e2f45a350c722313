// Webhooks: the secret, the delivery log, destinations that keep failing.

import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import {
  Answer,
  Count,
  Done,
  Empty,
  Instant,
  Line,
  List,
  oneOf,
  orNull,
  Part,
  RealmParams,
} from '../../staff/http/fields.ts'
import { renderDestination } from '../domain/destination.ts'
import { renderEndpoint } from '../domain/endpoint.ts'
import { renderHour } from '../domain/health.ts'
import { SAMPLE_TYPES, sampleTypesOf } from '../domain/sample.ts'
import { renderWebhookSecret } from '../domain/signature.ts'
import { readEndpoints } from '../usecases/manage-endpoints.ts'
import {
  describeWebhookSecret,
  endOldSecrets,
  rotateSecret,
  showWebhookSecret,
} from '../usecases/manage-webhook-secret.ts'
import { readWebhookHealth } from '../usecases/read-health.ts'
import { enableWebhookDestination, listDestinations } from '../usecases/watch-destinations.ts'
import { lastPlainHttpWebhook } from '../usecases/watch-plain-http.ts'
import { addDeliveryRoutes } from './deliveries.ts'
import { shownAddress } from './shown-address.ts'
import { addEndpointRoutes, WebhookEndpoint } from './webhook-endpoints.ts'

const Webhooks = Answer('Webhooks', {
  secret: orNull(Part({ created_at: Instant, previous_until: orNull(Instant) })),
  plain_http_at: orNull(
    Type.String({ format: 'date-time', description: 'When a live webhook last went over plain http' }),
  ),
  endpoints: List(WebhookEndpoint),
  test_events: List(oneOf(...SAMPLE_TYPES)),
  health: List(Part({ hour: Instant, attempts: Count, delivered: Count, mean_ms: Count, slowest_ms: Count })),
  destinations: List(
    Part({ origin: Type.String(), failing_since: Instant, failures: Count, disabled_at: orNull(Instant) }),
  ),
})
const WebhookSecret = Answer('WebhookSecret', {
  secret: Type.String(),
  created_at: Instant,
  previous_until: orNull(Instant),
})
export function addWebhookRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/webhooks'),
    schema: { hide: true, params: RealmParams, response: { 200: Webhooks } },
    handler: async (request) => {
      const staff = staffOf(request)
      const { realm } = staff
      const secret = await describeWebhookSecret(deps, realm)
      const destinations = await listDestinations(deps, realm)
      const plainHttpAt = realm.environment === 'live' ? await lastPlainHttpWebhook(deps, realm.tenantId) : null
      return {
        secret: secret === null ? null : { created_at: secret.createdAt, previous_until: secret.previousUntil },
        plain_http_at: plainHttpAt,
        endpoints: (await readEndpoints(deps, realm)).map((endpoint) => ({
          ...renderEndpoint(endpoint),
          url: shownAddress(staff, endpoint.url),
        })),
        test_events: sampleTypesOf(realm.environment),
        health: (await readWebhookHealth(deps, realm)).map(renderHour),
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
  addEndpointRoutes(app, deps)
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
  app.route({
    ...permitted(deps, 'POST @/webhooks/secret/end-old'),
    schema: { hide: true, params: RealmParams, body: Empty, response: { 200: Done } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await endOldSecrets(deps, { realm, actor }))) throw new Refusal('not_found')
      return {}
    },
  })
}
