// Renders a delivery for the dashboard: its verification and every attempt.

import type { Staff } from '../../staff/index.ts'
import type { ReceiverAnswer } from '../domain/answer.ts'
import { type LoggedDelivery, renderAttempt, renderDelivery, renderState } from '../domain/logged-delivery.ts'
import type { ShownRequest } from '../domain/shown-request.ts'
import type { TestEvent } from '../domain/test-event.ts'
import type { DetailedDelivery } from '../usecases/read-delivery.ts'
import { stateOfTest } from '../usecases/read-test-events.ts'
import { shownAddress } from './shown-address.ts'

const headersOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))

export const renderRequest = ({ url, headers, body }: ShownRequest) => ({ url, headers: headersOf(headers), body })

export const renderAnswer = (answer: ReceiverAnswer | null) =>
  answer === null ? null : { headers: headersOf(answer.headers), body: answer.body, truncated: answer.truncated }

/** Renders only the addresses that the reader may see. */
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

/** Renders a test event as a delivery. The reader sees its address by the same rule. */
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
