// Job: mails alerts about the daily quota and failing webhooks to staff who subscribed, each alert once.

import { utcDayOf } from '../../../core/quota/domain/quota.ts'
import { dailyQuotaOf } from '../../../core/tenants/domain/tenant.ts'
import type { Deps } from '../../../deps.ts'
import { instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { type AlertFacts, queueMail } from '../../mail/index.ts'
import { mailSubjectOf } from '../../webhooks/index.ts'
import { type AlertTopic, QUOTA_LEVELS, UNSUBSCRIBE_PATH } from '../domain/alert-mails.ts'
import { isReached } from '../domain/usage-alerts.ts'
import {
  deleteAlertMailsBefore,
  findSubscribedDestinationsAcrossTenants,
  findSubscribedUsageAcrossTenants,
  insertAlertMail,
  listSubscribers,
  lockDestination,
  type SubscribedDestination,
  sealUnsubscribeToken,
} from '../store/alert-mails.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'log'>

const DAY_MS = 86_400_000
/** A mail that cannot be sent within this time is dropped. */
const SENT_WITHIN_MS = DAY_MS
/** Mailed alerts are remembered for longer than a destination can fail before it is disabled. */
const KEPT_MS = 400 * DAY_MS

interface DueAlert {
  readonly tenantId: string
  readonly topic: AlertTopic
  /** Only about a webhook. Its host is erased with the last verification that failed there. */
  readonly destination?: SubscribedDestination
  /** What the alert is about. An alert with the same text is not mailed again. */
  readonly about: string
  readonly facts: AlertFacts
  /** The path of the dashboard page that the mail links to. */
  readonly page: string
}

export async function mailAlerts(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<void> {
  if (deps.config.mail === null) return
  const nowMs = deps.clock.now()
  for (const alert of [...(await dueQuotaAlerts(deps, utcDayOf(nowMs))), ...(await dueWebhookAlerts(deps))]) {
    stopped.throwIfAborted()
    await mailOnce(deps, alert)
  }
  await deleteAlertMailsBefore(deps.db, instantOf(nowMs - KEPT_MS))
}

async function dueQuotaAlerts({ db }: Pick<Deps, 'db'>, day: string): Promise<DueAlert[]> {
  const usages = await findSubscribedUsageAcrossTenants(db, day)
  return usages.flatMap((usage): DueAlert[] => {
    const { tenantId, used } = usage
    const quota = dailyQuotaOf(usage)
    const level = QUOTA_LEVELS.find((one) => isReached(one, { used, quota }))
    if (level === undefined) return []
    const facts = { topic: 'quota', percent: level, used, quota } as const
    return [{ tenantId, topic: 'quota', about: `${day} ${level}`, facts, page: `${tenantId}/live/usage` }]
  })
}

async function dueWebhookAlerts({ db }: Pick<Deps, 'db'>): Promise<DueAlert[]> {
  const destinations = await findSubscribedDestinationsAcrossTenants(db)
  return destinations.map((destination) => {
    const { tenantId, environment, origin, failingSince, isDisabled } = destination
    return {
      tenantId,
      topic: 'webhooks',
      destination,
      about: `${environment} ${origin} ${failingSince} ${isDisabled ? 'disabled' : 'failing'}`,
      facts: { topic: 'webhooks', host: URL.parse(origin)?.host ?? origin, since: failingSince, isDisabled },
      page: `${tenantId}/${environment}/webhooks`,
    }
  })
}

/**
 * Records the alert with its mails in one transaction, so no alert is mailed twice. If the queue is full, the mail is
 * lost.
 */
async function mailOnce(deps: Needs, { tenantId, topic, destination, about, facts, page }: DueAlert): Promise<void> {
  const nowMs = deps.clock.now()
  const expiresAt = instantOf(nowMs + SENT_WITHIN_MS)
  await deps.db.transaction(async (tx) => {
    // An erasure waits for this lock, and then ends the mails.
    if (destination !== undefined && !(await lockDestination(tx, destination))) return
    if (!(await insertAlertMail(tx, { tenantId, topic, about, now: instantOf(nowMs) }))) return
    for (const { personId, email, language, tenantName } of await listSubscribers(tx, tenantId, topic)) {
      const values = {
        tenantName,
        facts,
        url: `${deps.config.baseUrl}/dashboard/${page}`,
        unsubscribe: `${deps.config.baseUrl}${UNSUBSCRIBE_PATH}/${sealUnsubscribeToken(tx, { personId, tenantId, topic })}`,
      }
      await queueMail(deps, tx, {
        mail: { kind: 'alert', to: email, language, values },
        ...(destination === undefined ? {} : { about: mailSubjectOf(destination) }),
        tenantIds: [tenantId],
        expiresAt,
      })
    }
  })
}
