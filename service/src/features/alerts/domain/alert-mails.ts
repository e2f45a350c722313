// Alerts by mail: their topics, the levels of the quota that cause one, and the unsubscribe token.

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
/** The seal context of the token in an unsubscribe link. The token reveals no one, and opens nothing else. */
export const UNSUBSCRIBE_CONTEXT = 'alert_subscriptions.unsubscribe'
