// How a delivery reads in the dashboard: the verification it tells of, and every attempt.

import { Type } from 'typebox'
import type { Staff } from '../../staff/http/access.ts'
import { Answer, Instant, List, oneOf, orNull, Part } from '../../staff/http/fields.ts'
import type { ReceiverAnswer } from '../domain/answer.ts'
import { type LoggedDelivery, renderAttempt, renderDelivery, renderState } from '../domain/logged-delivery.ts'
import type { ShownRequest } from '../domain/shown-request.ts'
import type { TestEvent } from '../domain/test-event.ts'
import type { DetailedDelivery } from '../usecases/read-delivery.ts'
import { stateOfTest } from '../usecases/read-test-events.ts'
import { shownAddress } from './shown-address.ts'

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'held'] as const

const Members = {
  id: Type.String(),
  verification_id: orNull(Type.String({ description: 'null: a test event, which tells of none' })),
  type: Type.String({ description: 'The event it tells; a newer release may know more of them' }),
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

export const Delivery = Answer('Delivery', {
  ...Members,
  attempts: List(
    Part({
      ...AttemptMembers,
      url: orNull(Type.String({ description: 'Its origin for viewers; null where it cannot be opened any more' })),
    }),
  ),
})

const Headers = List(Part({ name: Type.String(), value: Type.String() }))

export const WebhookRequest = Answer('WebhookRequest', {
  url: Type.String(),
  headers: Headers,
  body: orNull(Type.String({ description: 'null: one may not see it, or its content is forgotten' })),
})

export const WebhookAnswer = Answer('WebhookAnswer', {
  headers: Headers,
  body: orNull(Type.String({ description: 'null: it is no text' })),
  truncated: Type.Boolean(),
})

export const DeliveryDetail = Answer('DeliveryDetail', {
  ...Members,
  shows_content: Type.Boolean({ description: 'Whether the reader may see bodies' }),
  attempts: List(Part({ ...AttemptMembers, request: orNull(WebhookRequest), answer: orNull(WebhookAnswer) })),
})

const headersOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))

export const renderRequest = ({ url, headers, body }: ShownRequest) => ({ url, headers: headersOf(headers), body })

export const renderAnswer = (answer: ReceiverAnswer | null) =>
  answer === null ? null : { headers: headersOf(answer.headers), body: answer.body, truncated: answer.truncated }

/** With the addresses that the reader may see. */
export function renderDeliveryFor(staff: Staff, delivery: LoggedDelivery) {
  const { attempts, ...rest } = renderDelivery(delivery)
  const shown = attempts.map((attempt) => ({
    ...attempt,
    url: attempt.url === null ? null : shownAddress(staff, attempt.url),
  }))
  return { ...rest, attempts: shown }
}

export function renderDetail(staff: Staff, delivery: DetailedDelivery, showsContent: boolean) {
  return {
    ...renderState(delivery),
    shows_content: showsContent,
    attempts: delivery.log.map((attempt) => ({
      ...renderAttempt(attempt),
      request:
        attempt.request === null
          ? null
          : { ...renderRequest(attempt.request), url: shownAddress(staff, attempt.request.url) },
      answer: renderAnswer(attempt.answer),
    })),
  }
}

/** A test event as the delivery that it is to whoever looks for it; its address is the reader's to see as every other. */
export function renderTestEvent(staff: Staff, event: TestEvent) {
  const { exchange, ...test } = event
  return { ...testMembers(test), attempts: [{ ...testAttempt(test), url: shownAddress(staff, exchange.request.url) }] }
}

export function renderTestDetail(staff: Staff, event: TestEvent, showsContent: boolean) {
  const { exchange, ...test } = event
  const { url, body } = exchange.request
  const shown = renderRequest({ ...exchange.request, url: shownAddress(staff, url), body: showsContent ? body : null })
  const answer = showsContent ? renderAnswer(exchange.answer) : null
  return {
    ...testMembers(test),
    shows_content: showsContent,
    attempts: [{ ...testAttempt(test), request: shown, answer }],
  }
}

const testMembers = (test: Omit<TestEvent, 'exchange'>) => ({
  id: test.id,
  verification_id: null,
  type: test.type,
  state: stateOfTest(test),
  created_at: test.createdAt,
  next_at: null,
})

const testAttempt = (test: Omit<TestEvent, 'exchange'>) =>
  renderAttempt({ ...test, trigger: 'manual', startedAt: test.createdAt, sentAt: test.createdAt })
