// A test event that was sent: one attempt, kept with what it sent and what came back, as long as answers are.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { Instant } from '../../../platform/world.ts'
import type { ReceiverAnswer } from './answer.ts'
import type { AttemptEnd } from './delivery.ts'
import type { ShownRequest } from './shown-request.ts'

/** Of a realm, the newest. */
export const TEST_EVENTS_KEPT_MAX = 20

export interface TestEvent {
  /** As a delivery's: it is what the receiver was told. */
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

/** Where a sealed exchange belongs. */
export const testEventSealContext = (realm: Realm, id: string) => `webhook_test_events.sealed|${realmName(realm)}|${id}`
