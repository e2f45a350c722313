// The webhook event types. `node tools/generate-event-types.ts` copies the list to the SDKs and docs/webhooks.md.

import type { Instant } from '../../../platform/world.ts'

/** When each type is sent. A new type also needs a delivery (`ENQUEUEING`). The dashboard gets this list by API. */
export const EVENTS = {
  'verification.completed': 'a wallet answered, and what it presented was accepted',
  'verification.failed': 'a wallet declined, or what it presented was refused',
} as const

export type EventType = keyof typeof EVENTS
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[]

export interface WebhookEvent {
  /** Any text, because a newer release that runs at the same time may store other types. */
  readonly type: string
  /** The verification as JSON, exactly as GET returns it. */
  readonly verification: string
  readonly sentAt: Instant
}

/** Spec 6.1. */
export function renderEvent({ type, verification, sentAt }: WebhookEvent): string {
  return `{"type":${JSON.stringify(type)},"verification":${verification},"sent_at":"${sentAt}"}`
}

export function endingEvent(outcome: 'completed' | 'failed'): EventType {
  return `verification.${outcome}`
}
