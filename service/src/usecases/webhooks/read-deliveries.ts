// The delivery log: what was sent where, when, and what came of it. And once more, by hand.

import type { Deps } from '../../deps.ts'
import type { AuditActor } from '../../domain/audit/entry.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { type AttemptEnd, gaveContent } from '../../domain/webhook/delivery.ts'
import type { LoggedDelivery } from '../../domain/webhook/logged-delivery.ts'
import { type Instant, instantOf } from '../../domain/world.ts'
import { appendAudit } from '../../store/audit/chain.ts'
import { loadVerification, loadVerifications } from '../../store/verifications/verifications.ts'
import { endManualAttempt, insertManualAttempt, listAttempts } from '../../store/webhooks/attempts.ts'
import { listDeliveries, loadDelivery } from '../../store/webhooks/deliveries.ts'
import { recordOrReport } from '../verifications/forget-held-content.ts'
import { opened, webhookUrlOf } from '../verifications/read-verification.ts'
import { signingSecrets } from './manage-webhook-secret.ts'
import { sendWebhook } from './send-webhook.ts'

const END_OF_TIME: Instant = '9999-12-31T23:59:59.999999Z'

export async function readDeliveries(
  deps: Pick<Deps, 'db' | 'sealer'>,
  input: {
    readonly realm: Realm
    readonly limit: number
    readonly before: Instant | null
    readonly verificationId: string | null
  },
): Promise<LoggedDelivery[]> {
  const { realm, limit, verificationId } = input
  const deliveries = await listDeliveries(deps.db, realm, {
    limit,
    verificationId,
    before: input.before ?? END_OF_TIME,
  })
  const attempts = await listAttempts(
    deps.db,
    realm,
    deliveries.map(({ id }) => id),
  )
  const ids = deliveries.map((delivery) => delivery.verificationId)
  const verifications = await loadVerifications(deps.db, realm, { ids, deviceId: null })
  const urls = new Map(verifications.map((stored) => [stored.id, webhookUrlOf(deps, stored)]))
  return deliveries.map((delivery) => {
    const url = urls.get(delivery.verificationId) ?? null
    return { ...delivery, log: (attempts.get(delivery.id) ?? []).map((attempt) => ({ ...attempt, url })) }
  })
}

/** One attempt, now; the schedule stays as it is. null when there is no such delivery. */
export async function resendDelivery(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'sealer' | 'config' | 'egress' | 'auditSeal' | 'log' | 'metrics'>,
  input: { readonly realm: Realm; readonly deliveryId: string; readonly actor: AuditActor },
): Promise<AttemptEnd | null> {
  const { realm, deliveryId, actor } = input
  const delivery = await loadDelivery(deps.db, realm, deliveryId)
  if (delivery === null) return null
  const stored = await loadVerification(deps.db, realm, { id: delivery.verificationId, deviceId: null })
  const verification = stored === null ? null : opened(deps, stored)
  const url = verification?.webhookUrl ?? null
  if (verification === null || url === null) return null
  const attemptId = await begin(deps, { realm, deliveryId, actor })
  if (attemptId === null) return null
  const secrets = await signingSecrets(deps, realm)
  const end = await sendWebhook(deps, { deliveryId, type: delivery.type, url, verification, secrets })
  const now = instantOf(deps.clock.now())
  const { outcome, httpStatus } = end
  const ended = { deliveryId, attemptId, outcome, httpStatus, gaveContent: gaveContent(end), now }
  if (await endManualAttempt(deps.db, ended)) await recordOrReport(deps, realm)
  return end
}

async function begin(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'auditSeal'>,
  attempt: { realm: Realm; deliveryId: string; actor: AuditActor },
): Promise<number | null> {
  const { realm, deliveryId, actor } = attempt
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    const id = await insertManualAttempt(tx, realm, { deliveryId, now })
    if (id === null) return null
    const object = { type: 'webhook_delivery', id: deliveryId }
    await appendAudit(tx, realm, {
      now,
      random: deps.random,
      seal: deps.auditSeal,
      events: [{ action: 'delivery.resent', actor, object }],
    })
    return id
  })
}
