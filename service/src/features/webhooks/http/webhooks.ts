// Webhook routes: the secret, the delivery log, failing destinations.

import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/index.ts'
import { renderDestination } from '../domain/destination.ts'
import { renderEndpoint } from '../domain/endpoint.ts'
import { renderHour } from '../domain/health.ts'
import { sampleTypesOf } from '../domain/sample.ts'
import { renderWebhookSecret } from '../domain/signature.ts'
import { readEndpoints } from '../usecases/manage-endpoints.ts'
import {
  describeWebhookSecret,
  endOldSecrets,
  rotateSecret,
  showWebhookSecret,
} from '../usecases/manage-webhook-secret.ts'
import { readWebhookHealth } from '../usecases/read-health.ts'
import { listSampleEvents } from '../usecases/sample-events.ts'
import { enableWebhookDestination, listDestinations } from '../usecases/watch-destinations.ts'
import { lastPlainHttpWebhook } from '../usecases/watch-plain-http.ts'
import { addDeliveryRoutes } from './deliveries.ts'
import { shownAddress } from './shown-address.ts'
import { addEndpointRoutes } from './webhook-endpoints.ts'

export function addWebhookRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/webhooks'),
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
        events: listSampleEvents(deps).map(({ type, sentWhen, body }) => ({ type, sent_when: sentWhen, sample: body })),
        test_events: sampleTypesOf(realm.environment),
        health: (await readWebhookHealth(deps, realm)).map(renderHour),
        destinations: destinations.map(renderDestination),
      }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/webhooks/destinations/enable'),
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
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      return renderWebhookSecret(await showWebhookSecret(deps, { realm, actor }))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/webhooks/secret/rotate'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const endPrevious = request.body.end_previous
      return renderWebhookSecret(await rotateSecret(deps, { realm, actor, endPrevious }))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/webhooks/secret/end-old'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await endOldSecrets(deps, { realm, actor }))) throw new Refusal('not_found')
      return {}
    },
  })
}
