// Describes webhooks: the body that merchants get (spec 6.1), and how staff manage deliveries.

import { type Static, Type } from 'typebox'
import { Closed, Count, Instant, Line, List, Name, oneOf, orNull } from './parts.ts'
import { DELIVERY_STATES, ENDPOINT_URL_MAX, SAMPLE_TYPES } from './values/webhooks.ts'
import { Verification } from './verifications.ts'

/** An event of one type. */
export const webhookEvent = <const T extends string>(type: T) =>
  Type.Object(
    { type: Type.Literal(type), verification: Verification, sent_at: Instant },
    { $id: `Webhook_${type.replace('.', '_')}`, additionalProperties: false },
  )

const Members = {
  id: Type.String(),
  verification_id: orNull(Type.String({ description: 'null: a test event, which has no verification' })),
  type: Type.String({ description: 'The event type. Newer releases may add types' }),
  state: oneOf(...DELIVERY_STATES),
  created_at: Instant,
  next_at: orNull(Instant),
}

const AttemptMembers = {
  trigger: oneOf('schedule', 'manual'),
  started_at: Instant,
  finished_at: orNull(Instant),
  outcome: orNull(Type.String()),
  http_status: orNull(Type.Integer()),
  took_ms: orNull(Type.Integer({ minimum: 0 })),
}

export const Delivery = Closed({
  ...Members,
  attempts: List(
    Closed({
      ...AttemptMembers,
      url: orNull(Type.String({ description: 'For viewers: only the origin. null: it can no longer be decrypted' })),
    }),
  ),
})
export type Delivery = Static<typeof Delivery>

const Headers = List(Closed({ name: Type.String(), value: Type.String() }))

export const WebhookRequest = Closed({
  url: Type.String(),
  headers: Headers,
  body: orNull(
    Type.String({
      description:
        'null: you may not see it, its content was erased, or it is long and shown only with the newest request',
    }),
  ),
})
export type WebhookRequest = Static<typeof WebhookRequest>

export const WebhookAnswer = Closed({
  headers: Headers,
  body: orNull(Type.String({ description: 'null: the body is not text' })),
  truncated: Type.Boolean(),
})
export type WebhookAnswer = Static<typeof WebhookAnswer>

export const DeliveryDetail = Closed({
  ...Members,
  shows_content: Type.Boolean({ description: 'Whether the reader may see bodies' }),
  attempts: List(Closed({ ...AttemptMembers, request: orNull(WebhookRequest), answer: orNull(WebhookAnswer) })),
})
export type DeliveryDetail = Static<typeof DeliveryDetail>

export const WebhookEndpoint = Closed({
  id: Type.String(),
  name: Type.String(),
  url: Type.String({ description: 'For viewers: only the origin' }),
  is_default: Type.Boolean(),
  created_at: Instant,
})
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

export const TestedEndpoint = Closed({
  id: Type.String({ description: 'The id in the delivery log' }),
  outcome: Type.String(),
  http_status: orNull(Type.Integer()),
  took_ms: Count,
  request: WebhookRequest,
  answer: orNull(WebhookAnswer),
})
export type TestedEndpoint = Static<typeof TestedEndpoint>

export const WebhookEndpointDraft = Type.Object(
  { name: Name, url: Line(ENDPOINT_URL_MAX), is_default: Type.Boolean() },
  { additionalProperties: false },
)
export type WebhookEndpointDraft = Static<typeof WebhookEndpointDraft>

export const Webhooks = Closed({
  secret: orNull(Closed({ created_at: Instant, previous_until: orNull(Instant) })),
  plain_http_at: orNull(
    Type.String({ format: 'date-time', description: 'When a live webhook last went over plain http' }),
  ),
  endpoints: List(WebhookEndpoint),
  events: List(
    Closed({
      type: Type.String(),
      sent_when: Type.String(),
      sample: Type.String({ description: 'A complete body, as it is sent' }),
    }),
  ),
  test_events: List(oneOf(...SAMPLE_TYPES)),
  health: List(Closed({ hour: Instant, attempts: Count, delivered: Count, mean_ms: Count, slowest_ms: Count })),
  destinations: List(
    Closed({ origin: Type.String(), failing_since: Instant, failures: Count, disabled_at: orNull(Instant) }),
  ),
})
export type Webhooks = Static<typeof Webhooks>

export const WebhookSecret = Closed({
  secret: Type.String(),
  created_at: Instant,
  previous_until: orNull(Instant),
})
export type WebhookSecret = Static<typeof WebhookSecret>

export const DeliveryPage = Closed({ data: List(Delivery), next: orNull(Instant) })
export type DeliveryPage = Static<typeof DeliveryPage>

export const Attempted = Closed({ outcome: Type.String(), http_status: orNull(Type.Integer()) })
export type Attempted = Static<typeof Attempted>

const HOURS_BACK_MAX = 24 * 30

export const ResendFailed = Closed({
  hours: Type.Integer({ minimum: 1, maximum: HOURS_BACK_MAX, description: 'How many hours, up to now' }),
})
export type ResendFailed = Static<typeof ResendFailed>

export const Resent = Closed({ resent: Count })
export type Resent = Static<typeof Resent>

export const TestEndpoint = Closed({ type: oneOf(...SAMPLE_TYPES), newest_secret_only: Type.Boolean() })
export type TestEndpoint = Static<typeof TestEndpoint>

export const EnableDestination = Closed({ origin: Line(2048) })
export type EnableDestination = Static<typeof EnableDestination>

export const RotateSecret = Closed({ end_previous: Type.Boolean() })
export type RotateSecret = Static<typeof RotateSecret>
