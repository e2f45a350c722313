// A delivery with its attempts: the log for the merchant's staff and the operator.

import type { Attempt, Delivery } from './delivery.ts'

export interface LoggedDelivery extends Delivery {
  readonly log: readonly LoggedAttempt[]
}

interface LoggedAttempt extends Attempt {
  /** The verification's webhook URL, which every attempt uses; null if it cannot be decrypted. */
  readonly url: string | null
}

export function renderDelivery(delivery: LoggedDelivery) {
  return {
    ...renderState(delivery),
    attempts: delivery.log.map((attempt) => ({ ...renderAttempt(attempt), url: attempt.url })),
  }
}

export const renderState = (delivery: Delivery) => ({
  id: delivery.id,
  verification_id: delivery.verificationId,
  type: delivery.type,
  state: delivery.state,
  created_at: delivery.createdAt,
  next_at: delivery.nextAt,
})

export const renderAttempt = (attempt: Attempt) => ({
  trigger: attempt.trigger,
  started_at: attempt.startedAt,
  finished_at: attempt.finishedAt,
  outcome: attempt.outcome,
  http_status: attempt.httpStatus,
  took_ms: attempt.tookMs,
})
