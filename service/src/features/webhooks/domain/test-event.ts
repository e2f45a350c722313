// A test event that was sent: one attempt, stored with its request and response.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { Instant } from '../../../platform/world.ts'
import type { ReceiverAnswer } from './answer.ts'
import type { AttemptEnd } from './delivery.ts'
import type { ShownRequest } from './shown-request.ts'

/** Per realm: older test events are deleted. */
export const TEST_EVENTS_KEPT_MAX = 20

export interface TestEvent {
  /** The id that the receiver got, as for a delivery. */
  readonly id: string
  readonly type: string
  readonly createdAt: Instant
  readonly finishedAt: Instant
  readonly outcome: AttemptEnd['outcome']
  readonly httpStatus: number | null
  readonly tookMs: number
  readonly exchange: TestExchange
}

export interface TestExchange {
  readonly request: ShownRequest
  readonly answer: ReceiverAnswer | null
}

/** Returns the context that a request and its response are sealed with. */
export const testEventSealContext = (realm: Realm, id: string) => `webhook_test_events.sealed|${realmName(realm)}|${id}`
