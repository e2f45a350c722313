// A test event that was sent: one attempt, kept with its request and response as long as responses are.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { Instant } from '../../../platform/world.ts'
import type { ReceiverAnswer } from './answer.ts'
import type { AttemptEnd } from './delivery.ts'
import type { ShownRequest } from './shown-request.ts'

/** Per realm, the newest. */
export const TEST_EVENTS_KEPT_MAX = 20

export interface TestEvent {
  /** The id that the receiver saw, like a delivery's. */
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

/** The context that a request and its response are sealed with. */
export const testEventSealContext = (realm: Realm, id: string) => `webhook_test_events.sealed|${realmName(realm)}|${id}`
