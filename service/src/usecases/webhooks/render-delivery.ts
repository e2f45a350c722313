// How a delivery reads in JSON, in the dashboard and on the command line: the verification it tells of, and every attempt.

import type { LoggedDelivery } from './read-deliveries.ts'

export function renderDelivery(delivery: LoggedDelivery) {
  return {
    id: delivery.id,
    verification_id: delivery.verificationId,
    type: delivery.type,
    state: delivery.state,
    created_at: delivery.createdAt,
    next_at: delivery.nextAt,
    attempts: delivery.log.map((attempt) => ({
      trigger: attempt.trigger,
      url: attempt.url,
      started_at: attempt.startedAt,
      finished_at: attempt.finishedAt,
      outcome: attempt.outcome,
      http_status: attempt.httpStatus,
    })),
  }
}
