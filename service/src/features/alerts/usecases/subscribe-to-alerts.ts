// Reads and changes a person's subscriptions to a tenant's alert mails, and ends one by the link in a mail.

import type { Language } from '../../../../../labels/catalogue.ts'
import { ALERT_TOPICS } from '../../../../../wire/values/usage.ts'
import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import type { AlertTopic, Subscription } from '../domain/alert-mails.ts'
import { deleteSubscription, insertSubscription, listTopics, openUnsubscribeToken } from '../store/alert-mails.ts'

type Own = Omit<Subscription, 'topic'>

export const readAlertTopics = ({ db }: Pick<Deps, 'db'>, own: Own): Promise<AlertTopic[]> => listTopics(db, own)

export async function changeAlertTopics(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  own: Own,
  wanted: { readonly topics: readonly AlertTopic[]; readonly language: Language },
): Promise<void> {
  const now = instantOf(clock.now())
  await db.transaction(async (tx) => {
    for (const topic of ALERT_TOPICS) {
      if (wanted.topics.includes(topic)) await insertSubscription(tx, { ...own, topic, language: wanted.language, now })
      else await deleteSubscription(tx, { ...own, topic })
    }
  })
}

/** Returns the subscription that a link ends; null if this service did not create the link. */
export const readUnsubscribeToken = ({ db }: Pick<Deps, 'db'>, token: string): Subscription | null =>
  openUnsubscribeToken(db, token)

export const endSubscription = ({ db }: Pick<Deps, 'db'>, subscription: Subscription): Promise<void> =>
  deleteSubscription(db, subscription)
