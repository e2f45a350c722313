// How a delivery reads in the dashboard: the verification it tells of, and every attempt.

import { Type } from 'typebox'
import { Answer, Instant, List, oneOf, orNull, Part } from './fields.ts'

export const Delivery = Answer('Delivery', {
  id: Type.String(),
  verification_id: Type.String(),
  type: Type.String({ description: 'The event it tells; a newer release may know more of them' }),
  state: oneOf('pending', 'delivered', 'failed', 'held'),
  created_at: Instant,
  next_at: orNull(Instant),
  attempts: List(
    Part({
      trigger: oneOf('schedule', 'manual'),
      url: orNull(Type.String({ description: 'null where it cannot be opened any more' })),
      started_at: Instant,
      finished_at: orNull(Instant),
      outcome: orNull(Type.String()),
      http_status: orNull(Type.Integer()),
    }),
  ),
})
