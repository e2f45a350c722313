// Describes the webhook that a merchant gets when a verification has ended (spec 6.1).

import { webhookEvent } from '../../../../../wire/webhooks.ts'
import { EVENTS, type EventType } from '../../webhooks/index.ts'
import { VERIFICATION_EXAMPLE } from './examples.ts'
import { lift } from './shape.ts'

const HEADERS = [
  {
    name: 'X-Service-Signature',
    in: 'header',
    required: true,
    schema: { type: 'string', pattern: '^t=[0-9]+(,v1=[0-9a-f]{64})+$' },
    description: 'HMAC-SHA256 of `<t>.<body>` with each webhook secret in use; refuse what does not verify',
  },
  {
    name: 'X-Service-Delivery',
    in: 'header',
    required: true,
    schema: { type: 'string' },
    description:
      'The same for every attempt of a delivery. Not signed: to detect replays, compare `type` and `verification.id`',
  },
]

/** Returns the webhooks by event type. */
export function webhooksOf(schemas: Record<string, object>): Readonly<Record<string, object>> {
  const entries = (Object.keys(EVENTS) as EventType[]).map((type) => {
    const example = { type, verification: VERIFICATION_EXAMPLE, sent_at: VERIFICATION_EXAMPLE.responded_at }
    const content = { 'application/json': { schema: lift(webhookEvent(type), schemas), example } }
    const operation = {
      operationId: `receive_${type.replace('.', '_')}`,
      summary: `Sent when ${EVENTS[type]}`,
      tags: ['Webhooks'],
      security: [],
      parameters: HEADERS,
      requestBody: { required: true, content },
      responses: { '2XX': { description: 'Delivered. Any other status is retried, for about a day' } },
    }
    return [type, { post: operation }]
  })
  return Object.fromEntries(entries)
}
