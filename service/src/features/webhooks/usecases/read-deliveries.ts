// Reads the delivery log, and resends a delivery by hand.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { loadSensitiveFields } from '../../../core/verifications/store/sensitive-fields.ts'
import { loadVerification } from '../../../core/verifications/store/verifications.ts'
import { recordOrReport } from '../../../core/verifications/usecases/forgetting/forget-due-content.ts'
import {
  decryptVerification,
  sensitiveFieldsOrNull,
  turnFor,
} from '../../../core/verifications/usecases/reading/read-verification.ts'
import type { Deps } from '../../../deps.ts'
import { END_OF_TIME, type Instant, instantOf } from '../../../platform/world.ts'
import { ANSWER_KEPT_MS } from '../domain/answer.ts'
import { type AttemptEnd, type DeliveryState, gaveContent } from '../domain/delivery.ts'
import type { LoggedDelivery } from '../domain/logged-delivery.ts'
import { endManualAttempt, insertManualAttempt, listAttempts } from '../store/attempts.ts'
import { listDeliveries, loadDelivery } from '../store/deliveries.ts'
import { signingSecrets } from './manage-webhook-secret.ts'
import { type SendingNeeds, sendWebhook } from './send-webhook.ts'

interface DeliveryQuestion {
  readonly realm: Realm
  readonly limit: number
  readonly before: Instant | null
  readonly verificationId: string | null
  readonly state?: DeliveryState
  readonly type?: string
}

interface LoggedPage {
  readonly deliveries: readonly LoggedDelivery[]
  /** Cursor of the next page; null: this is the last page. */
  readonly next: Instant | null
}

export const readDeliveries = async (deps: Pick<Deps, 'db'>, question: DeliveryQuestion) =>
  (await readDeliveryPage(deps, question)).deliveries

export async function readDeliveryPage(deps: Pick<Deps, 'db'>, question: DeliveryQuestion): Promise<LoggedPage> {
  const { realm, limit, verificationId, state = null, type = null } = question
  const before = question.before ?? END_OF_TIME
  const { deliveries, next } = await listDeliveries(deps.db, realm, { limit, verificationId, state, type, before })
  const attempts = await listAttempts(
    deps.db,
    realm,
    deliveries.map(({ id }) => id),
  )
  const ids = deliveries.map((delivery) => delivery.verificationId)
  const fields = ids.length === 0 ? [] : await loadSensitiveFields(deps.db, realm, ids)
  const urls = new Map(fields.map((stored) => [stored.id, sensitiveFieldsOrNull(deps, stored)?.webhookUrl ?? null]))
  const logged = deliveries.map((delivery) => {
    const url = urls.get(delivery.verificationId) ?? null
    return { ...delivery, log: (attempts.get(delivery.id) ?? []).map((attempt) => ({ ...attempt, url })) }
  })
  return { deliveries: logged, next }
}

/** Makes one attempt now, without a change of the schedule. Returns null if the delivery does not exist. */
export async function resendDelivery(
  deps: SendingNeeds & Pick<Deps, 'db' | 'random' | 'audit' | 'log' | 'metrics'>,
  input: { readonly realm: Realm; readonly deliveryId: string; readonly actor: AuditActor },
): Promise<AttemptEnd | null> {
  const { realm, deliveryId, actor } = input
  const delivery = await loadDelivery(deps.db, realm, deliveryId)
  if (delivery === null) return null
  const stored = await loadVerification(deps.db, realm, { id: delivery.verificationId, deviceId: null })
  if (stored !== null) await turnFor(stored)
  const verification = stored === null ? null : decryptVerification(deps, stored)
  const url = verification?.webhookUrl ?? null
  if (verification === null || url === null) return null
  const attemptId = await begin(deps, { realm, deliveryId, actor })
  if (attemptId === null) return null
  const secrets = await signingSecrets(deps, realm)
  const { type, createdAt } = delivery
  const { end, exchange } = await sendWebhook(deps, { deliveryId, type, url, verification, createdAt, secrets })
  const nowMs = deps.clock.now()
  const { sentAt, tookMs, answer } = exchange
  const forgot = await endManualAttempt(deps.db, realm, {
    deliveryId,
    attemptId,
    origin: URL.parse(url)?.origin ?? '',
    outcome: end.outcome,
    httpStatus: end.httpStatus,
    gaveContent: gaveContent(end),
    sentAt,
    tookMs,
    answer,
    now: instantOf(nowMs),
    answersUntil: instantOf(nowMs + ANSWER_KEPT_MS),
  })
  if (forgot) await recordOrReport(deps, realm)
  return end
}

async function begin(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'audit'>,
  attempt: { realm: Realm; deliveryId: string; actor: AuditActor },
): Promise<number | null> {
  const { realm, deliveryId, actor } = attempt
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    const id = await insertManualAttempt(tx, realm, { deliveryId, now })
    if (id === null) return null
    const object = { type: 'webhook_delivery', id: deliveryId }
    await deps.audit.record(tx, realm, { now, action: 'delivery.resent', actor, object })
    return id
  })
}
