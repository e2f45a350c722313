// Stores the delivery log: every attempt with its outcome.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { forgottenBy } from '../../../core/verifications/store/forgetting.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { ReceiverAnswer } from '../domain/answer.ts'
import type { Attempt } from '../domain/delivery.ts'
import { answersKept, sealAnswer } from './answers.ts'
import { hoursCounted } from './hours.ts'

/** An attempt, with the id that its response is stored under. */
export interface StoredAttempt extends Attempt {
  readonly id: string
}

/** How many attempts of a delivery are read: the newest. A schedule has six; staff can resend any number of times. */
export const ATTEMPTS_SHOWN_MAX = 20

/** Lists the newest attempts of these deliveries by delivery, oldest first. */
export async function listAttempts(
  tx: Tx,
  realm: Realm,
  deliveryIds: readonly string[],
): Promise<Map<string, StoredAttempt[]>> {
  const rows = await tx.query<StoredAttempt & { readonly deliveryId: string }>(
    {
      name: 'list_attempts',
      text: `select d.id as "deliveryId", a.id::text as id, a.trigger, a.started_at as "startedAt", a.finished_at as "finishedAt", a.outcome,
               a.http_status as "httpStatus", a.sent_at as "sentAt", a.took_ms as "tookMs"
             from (select distinct unnest($3::text[]) as id) as d cross join lateral (
               select id, trigger, started_at, finished_at, outcome, http_status, sent_at, took_ms from webhook_attempts
               where delivery_id = d.id and tenant_id = $1 and environment = $2 order by id desc limit $4
             ) as a order by a.id`,
    },
    [realm.tenantId, realm.environment, deliveryIds, ATTEMPTS_SHOWN_MAX],
  )
  const byDelivery = new Map<string, StoredAttempt[]>()
  for (const { deliveryId, ...attempt } of rows) {
    const known = byDelivery.get(deliveryId)
    if (known === undefined) byDelivery.set(deliveryId, [attempt])
    else known.push(attempt)
  }
  return byDelivery
}

/** Inserts an attempt that staff started. Returns null if the delivery does not exist. */
export async function insertManualAttempt(
  tx: Tx,
  realm: Realm,
  attempt: { readonly deliveryId: string; readonly now: Instant },
): Promise<number | null> {
  const [row] = await tx.query<{ id: number }>(
    {
      name: 'insert_manual_attempt',
      text: `insert into webhook_attempts (delivery_id, tenant_id, environment, trigger, started_at)
             select id, tenant_id, environment, 'manual', $4 from webhook_deliveries
             where id = $3 and tenant_id = $1 and environment = $2 for key share returning id`,
    },
    [realm.tenantId, realm.environment, attempt.deliveryId, attempt.now],
  )
  return row?.id ?? null
}

/**
 * Ends an attempt that staff started; returns true if content was deleted. A success marks the delivery as delivered,
 * resets the failures of an enabled destination, and deletes content that must not outlive its receipt. A failure does
 * not change the schedule.
 */
export async function endManualAttempt(
  tx: Tx,
  realm: Realm,
  ended: {
    readonly deliveryId: string
    readonly attemptId: number
    /** The origin of the request's address. */
    readonly origin: string
    readonly outcome: string
    readonly httpStatus: number | null
    readonly sentAt: Instant
    readonly tookMs: number
    readonly answer: ReceiverAnswer | null
    /** Whether the payload contained the content. If not, a success does not count as its receipt. */
    readonly gaveContent: boolean
    readonly now: Instant
    readonly answersUntil: Instant
  },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'end_manual_attempt',
      text: `with done as (
               update webhook_deliveries set state = case when $3 = 'delivered' then 'delivered' else state end,
                 held_for = case when $3 = 'delivered' then null else held_for end
               where id = $1 and tenant_id = $12 returning id, tenant_id, environment, verification_id, $2::bigint as attempt_id, $3::text as outcome,
                 $7::integer as took_ms, $8::bytea as sealed_answer
             ), noted as (
               update webhook_attempts set outcome = $3, http_status = $4, finished_at = $5, sent_at = $6, took_ms = $7
               where id = $2 and tenant_id = $12 and delivery_id in (select id from done)
             ), cleared as (
               delete from webhook_destinations w using done
               where w.tenant_id = done.tenant_id and w.environment = done.environment and w.origin = $11
                 and $3 = 'delivered' and w.disabled_at is null
             ), ${answersKept('$9')}, ${hoursCounted('$5')}
             update verification_results r set ${forgottenBy('receipt', '$5')} from done
             where r.verification_id = done.verification_id and r.tenant_id = done.tenant_id and $3 = 'delivered' and $10 and r.forget_at is not null
             returning 1 as gone`,
    },
    [
      ended.deliveryId,
      ended.attemptId,
      ended.outcome,
      ended.httpStatus,
      ended.now,
      ended.sentAt,
      ended.tookMs,
      sealAnswer(tx, { realm, attemptId: ended.attemptId }, ended.answer),
      ended.answersUntil,
      ended.gaveContent,
      ended.origin,
      realm.tenantId,
    ],
  )
  return rows.length > 0
}
