// What a webhook tells. A new type is a word below, a delivery where it happens (`enqueueDeliveries`), a word in
// sdk/typescript/src/webhook.ts and a line in docs/webhooks.md; everything between takes the type from the delivery.

import type { Instant } from '../world.ts'

export const EVENT_TYPES = ['verification.completed', 'verification.failed'] as const
export type EventType = (typeof EVENT_TYPES)[number]

export interface WebhookEvent {
  /** As it was stored: a newer release beside this one may know more types. */
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
