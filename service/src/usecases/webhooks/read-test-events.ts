// Test events in the log of deliveries: each reads as a delivery that has had its one attempt.

import type { Deps } from '../../deps.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import type { DeliveryState } from '../../domain/webhook/delivery.ts'
import { openTestExchange, TEST_EVENTS_KEPT_MAX, type TestEvent } from '../../domain/webhook/test-event.ts'
import type { Instant } from '../../domain/world.ts'
import { listTestEvents } from '../../store/webhooks/test-events.ts'

type Needs = Pick<Deps, 'db' | 'sealer'>

/** The newest first. */
export async function readTestEvents(deps: Needs, realm: Realm): Promise<TestEvent[]> {
  const sent = await listTestEvents(deps.db, realm, TEST_EVENTS_KEPT_MAX)
  return sent.map(({ sealed, ...event }) => ({
    ...event,
    exchange: openTestExchange(deps.sealer, { realm, id: event.id }, sealed),
  }))
}

/** There is no second attempt: what did not get through has failed. */
export const stateOfTest = ({ outcome }: Pick<TestEvent, 'outcome'>): DeliveryState =>
  outcome === 'delivered' ? 'delivered' : 'failed'

/** Those that belong on a page of the log, by its filter and between its ends. */
export function testEventsWithin(
  events: readonly TestEvent[],
  page: {
    readonly before: Instant | null
    /** Where the next page begins; null: there is none. */
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
