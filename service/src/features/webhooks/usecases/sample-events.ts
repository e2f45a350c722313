// Lists the event types, each with a sample body of a fixed time and id.

import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { EVENT_TYPES, EVENTS, type EventType } from '../domain/event.ts'
import { sampleVerification } from '../domain/sample.ts'
import { webhookBody } from './send-webhook.ts'

const AT_MS = Date.UTC(2027, 5, 15, 12)
const URL = 'https://shop.example/webhooks'

export function listSampleEvents(
  deps: Pick<Deps, 'config'>,
): readonly { readonly type: EventType; readonly sentWhen: string; readonly body: string }[] {
  const realm = { tenantId: 'ten_sample', environment: 'test' } as const
  const random = (size: number) => new Uint8Array(size).fill(0x5a)
  return EVENT_TYPES.map((type) => {
    const verification = sampleVerification(realm, { type, url: URL, nowMs: AT_MS, random })
    const body = webhookBody(deps, { type, verification, createdAt: instantOf(AT_MS), sentAt: instantOf(AT_MS) })
    return { type, sentWhen: EVENTS[type], body: body.toString('utf8') }
  })
}
