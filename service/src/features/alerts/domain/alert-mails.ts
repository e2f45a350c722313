// Alerts by mail: their topics, when the quota is worth one, and the token that ends a subscription. Pure.

import type { Language } from '../../../../../labels/catalogue.ts'
import { ALERT_TOPICS } from '../../../../../wire/values/usage.ts'

export type AlertTopic = (typeof ALERT_TOPICS)[number]

export const isAlertTopic = (text: unknown): text is AlertTopic => (ALERT_TOPICS as readonly unknown[]).includes(text)

/** Percent of the daily quota, highest first. */
export const QUOTA_LEVELS = [100, 80] as const

export interface Subscription {
  readonly personId: string
  readonly tenantId: string
  readonly topic: AlertTopic
}

export interface Subscriber {
  readonly personId: string
  readonly email: string
  readonly language: Language
  readonly tenantName: string
}

export const UNSUBSCRIBE_PATH = '/mail/unsubscribe'
/** The token in the address of an unsubscribe link is sealed with this context: it opens nothing else, and names no one. */
export const UNSUBSCRIBE_CONTEXT = 'alert_subscriptions.unsubscribe'
