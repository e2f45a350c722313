// Subscriptions to alert mails, the facts that trigger an alert, and the alerts that were already mailed.

import { createHmac } from 'node:crypto'
import type { Plan } from '../../../core/tenants/domain/tenant.ts'
import { isOfServedTenant } from '../../../core/tenants/store/closed.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import {
  type AlertTopic,
  isAlertTopic,
  type Subscriber,
  type Subscription,
  UNSUBSCRIBE_CONTEXT,
} from '../domain/alert-mails.ts'

export async function listTopics(tx: Tx, own: Omit<Subscription, 'topic'>): Promise<AlertTopic[]> {
  const text = 'select topic from alert_subscriptions where person_id = $1 and tenant_id = $2 order by topic'
  const rows = await tx.query<{ topic: AlertTopic }>({ name: 'list_alert_topics', text }, [own.personId, own.tenantId])
  return rows.map(({ topic }) => topic)
}

export async function insertSubscription(
  tx: Tx,
  added: Subscription & { readonly language: string; readonly now: Instant },
): Promise<void> {
  await tx.query(
    {
      name: 'insert_alert_subscription',
      text: `insert into alert_subscriptions (person_id, tenant_id, topic, language, created_at) values ($1, $2, $3, $4, $5)
             on conflict (person_id, tenant_id, topic) do update set language = excluded.language`,
    },
    [added.personId, added.tenantId, added.topic, added.language, added.now],
  )
}

export async function deleteSubscription(tx: Tx, { personId, tenantId, topic }: Subscription): Promise<void> {
  const text = 'delete from alert_subscriptions where person_id = $1 and tenant_id = $2 and topic = $3'
  await tx.query({ name: 'delete_alert_subscription', text }, [personId, tenantId, topic])
}

/** Lists only people who are still in the team. */
export async function listSubscribers(tx: Tx, tenantId: string, topic: AlertTopic): Promise<Subscriber[]> {
  return tx.query<Subscriber>(
    {
      name: 'list_alert_subscribers',
      text: `select p.id as "personId", p.email, s.language, t.name as "tenantName" from alert_subscriptions s
             join members m on m.person_id = s.person_id and m.tenant_id = s.tenant_id
             join people p on p.id = s.person_id join tenants t on t.id = s.tenant_id
             where s.tenant_id = $1 and s.topic = $2 order by p.id`,
    },
    [tenantId, topic],
  )
}

export interface SubscribedUsage {
  readonly tenantId: string
  readonly plan: Plan
  readonly dailyQuota: number | null
  readonly used: number
}

export async function findSubscribedUsageAcrossTenants(tx: Tx, day: string): Promise<SubscribedUsage[]> {
  return tx.query<SubscribedUsage>(
    {
      name: 'find_subscribed_usage',
      text: `select t.id as "tenantId", t.plan, t.daily_quota as "dailyQuota", u.created as used
             from usage_days u join tenants t on t.id = u.tenant_id
             where u.day = $1 and u.created > 0 and ${isOfServedTenant('u')}
               and exists (select from alert_subscriptions s where s.topic = 'quota' and s.tenant_id = t.id)
             order by t.id`,
    },
    [day],
  )
}

export interface SubscribedDestination {
  readonly tenantId: string
  readonly environment: Environment
  readonly origin: string
  readonly failingSince: Instant
  readonly isDisabled: boolean
}

/** Destinations that `noteDestinations` recorded as failing for a day or as disabled. */
export async function findSubscribedDestinationsAcrossTenants(tx: Tx): Promise<SubscribedDestination[]> {
  return tx.query<SubscribedDestination>(
    {
      name: 'find_subscribed_destinations',
      text: `select w.tenant_id as "tenantId", w.environment, w.origin, w.failing_since as "failingSince",
               w.disabled_at is not null as "isDisabled" from webhook_destinations w
             where (w.noticed_at is not null or w.disabled_at is not null) and ${isOfServedTenant('w')}
               and exists (select from alert_subscriptions s where s.topic = 'webhooks' and s.tenant_id = w.tenant_id)
             order by w.tenant_id, w.environment, w.origin`,
    },
    [],
  )
}

/** Keeps the destination from being deleted until the transaction ends. Returns false if it is gone. */
export async function lockDestination(
  tx: Tx,
  { tenantId, environment, origin }: SubscribedDestination,
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'lock_alerted_destination',
      text: `select 1 as locked from webhook_destinations where tenant_id = $1 and environment = $2 and origin = $3
             for key share`,
    },
    [tenantId, environment, origin],
  )
  return rows.length > 0
}

/** Returns false if the alert was mailed before. */
export async function insertAlertMail(
  tx: Tx,
  alert: { readonly tenantId: string; readonly topic: AlertTopic; readonly about: string; readonly now: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'insert_alert_mail',
      text: `insert into alert_mails (tenant_id, topic, about, created_at) values ($1, $2, $3, $4)
             on conflict (tenant_id, topic, about) do nothing returning 1`,
    },
    [alert.tenantId, alert.topic, digestOf(tx, alert.about), alert.now],
  )
  return rows.length > 0
}

/**
 * Returns a keyed hash, because `about` is only compared. It may name a webhook's host, which must be deleted with the
 * verifications that failed there.
 */
const digestOf = ({ sealer }: Sealing, about: string): string =>
  createHmac('sha256', sealer.derive('alert-mail-v1', 32)).update(about, 'utf8').digest('base64url')

export async function deleteAlertMailsBefore(tx: Tx, before: Instant): Promise<void> {
  await tx.query({ name: 'delete_old_alert_mails', text: 'delete from alert_mails where created_at < $1' }, [before])
}

/** Returns the token of an unsubscribe link: the encrypted subscription, so that the store needs no row for it. */
export const sealUnsubscribeToken = ({ sealer }: Sealing, subscription: Subscription): string =>
  Buffer.from(sealer.seal(Buffer.from(JSON.stringify(subscription), 'utf8'), UNSUBSCRIBE_CONTEXT)).toString('base64url')

/** null if this service did not create the link. */
export function openUnsubscribeToken({ sealer }: Sealing, token: string): Subscription | null {
  try {
    const opened = sealer.open(Buffer.from(token, 'base64url'), UNSUBSCRIBE_CONTEXT)
    const { personId, tenantId, topic }: Partial<Subscription> = JSON.parse(opened.toString('utf8'))
    const isWhole = typeof personId === 'string' && typeof tenantId === 'string' && isAlertTopic(topic)
    return isWhole ? { personId, tenantId, topic } : null
  } catch {
    // Not sealed with one of our keys. Any caller may send such a text.
    return null
  }
}
