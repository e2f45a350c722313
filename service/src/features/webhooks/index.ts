// The public interface of webhooks for other features.

export { ANSWER_KEPT_MS, answerOfAttemptSealContext } from './domain/answer.ts'
export { nextAttemptMs } from './domain/delivery.ts'
export { mailSubjectOf } from './domain/destination.ts'
export { ENDPOINTS_MAX, type Endpoint, endpointSealContext } from './domain/endpoint.ts'
export { EVENT_TYPES, EVENTS, type EventType } from './domain/event.ts'
export type { LoggedDelivery } from './domain/logged-delivery.ts'
export { ROTATION_OVERLAP_MS, webhookSecretSealContext } from './domain/signature.ts'
export { TEST_EVENTS_KEPT_MAX, testEventSealContext } from './domain/test-event.ts'
export { renderDeliveryFor } from './http/delivery-schema.ts'
export { shownAddress } from './http/shown-address.ts'
export { checkWebhookTarget, checkWebhookUrl, isLiveInClear } from './usecases/check-webhook-url.ts'
export {
  defaultWebhookUrl,
  readEndpointsAcrossTenants,
  removeEndpoint,
  saveEndpoint,
} from './usecases/manage-endpoints.ts'
export { describeWebhookSecret, rotateSecret, signingSecrets } from './usecases/manage-webhook-secret.ts'
export { readDeliveries } from './usecases/read-deliveries.ts'
export { readWebhookHealth } from './usecases/read-health.ts'
export { RESENT_AT_ONCE_MAX } from './usecases/resend-failed.ts'
export { sendSigned } from './usecases/send-webhook.ts'
export { listDestinations } from './usecases/watch-destinations.ts'
export { tenantsWithPlainHttpWebhooks } from './usecases/watch-plain-http.ts'
