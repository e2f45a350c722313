// Alerts by mail: their topics, the quota levels that trigger them, and the token of the unsubscribe link.

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
/** The seal context of the token in an unsubscribe link. The token is encrypted, and can only end its subscription. */
export const UNSUBSCRIBE_CONTEXT = 'alert_subscriptions.unsubscribe'
