// Reads test events for the delivery log, each as a delivery with one attempt.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import type { Instant } from '../../../platform/world.ts'
import type { DeliveryState } from '../domain/delivery.ts'
import { TEST_EVENTS_KEPT_MAX, type TestEvent, type TestExchange } from '../domain/test-event.ts'
import { listTestEvents, openTestExchange, type SealedTestEvent } from '../store/test-events.ts'

type Needs = Pick<Deps, 'db'>

/** Newest first. Skips events that can no longer be decrypted, so that the log still loads. */
export async function readTestEvents(deps: Needs, realm: Realm): Promise<TestEvent[]> {
  const sent = await listTestEvents(deps.db, realm, TEST_EVENTS_KEPT_MAX)
  return sent.flatMap((stored) => {
    const exchange = exchangeOrNull(deps, realm, stored)
    const { sealed: _, ...event } = stored
    return exchange === null ? [] : [{ ...event, exchange }]
  })
}

function exchangeOrNull({ db }: Needs, realm: Realm, stored: SealedTestEvent): TestExchange | null {
  try {
    return openTestExchange(db, realm, stored)
  } catch {
    // The event is damaged, or was sealed with a lost key.
    return null
  }
}

/** Test events are not retried, so a failed attempt means that the event has failed. */
export const stateOfTest = ({ outcome }: Pick<TestEvent, 'outcome'>): DeliveryState =>
  outcome === 'delivered' ? 'delivered' : 'failed'

/** Returns the events that belong to this page of the log. */
export function testEventsWithin(
  events: readonly TestEvent[],
  page: {
    readonly before: Instant | null
    /** Cursor of the next page; null: this is the last page. */
    readonly next: Instant | null
    readonly state: DeliveryState | null
    readonly type: string | null
  },
): TestEvent[] {
  const { before, next, state, type } = page
  return events.filter(
    (event) =>
      (before === null || event.createdAt < before) &&
      (next === null || event.createdAt >= next) &&
      (state === null || stateOfTest(event) === state) &&
      (type === null || event.type === type),
  )
}
