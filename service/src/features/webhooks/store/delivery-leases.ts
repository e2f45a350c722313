// Leases due deliveries, and writes outcomes of attempts. Locks a delivery before its attempts, as erasure does.

import { type StoredVerification, VERIFICATION_COLUMNS } from '../../../core/verifications/store/columns.ts'
import { forgottenBy } from '../../../core/verifications/store/forgetting.ts'
import { daysOf, inDays, inKnownDays, rangeOf } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type Column, dayParameters, defineStatement, runStatement } from '../../../platform/postgres/statement.ts'
import type { Instant } from '../../../platform/world.ts'
import type { ReceiverAnswer } from '../domain/answer.ts'
import type { DeliveryState } from '../domain/delivery.ts'
import { answersKept, sealAnswer } from './answers.ts'
import { eraseOrphans, typeOf } from './deliveries.ts'
import type { Choice } from './due-times.ts'
import { hoursCounted } from './hours.ts'

/** A leased delivery, with everything to build and send its event. */
export interface LeasedDelivery {
  readonly id: string
  readonly type: string
  readonly fence: number
  readonly attemptId: number
  readonly attempts: number
  readonly abandoned: number
  readonly createdAt: Instant
  readonly verification: StoredVerification
}

interface LeaseTimes {
  readonly now: Instant
  readonly leaseUntil: Instant
}

interface LeasedRow extends StoredVerification {
  delivery_id: string
  event_type: string
  fence: number
  attempt_id: number
  attempts: number
  abandoned: number
  delivery_created_at: string
}

/** Parameters of the statement. */
const OF_LEASED = { from: '$4', to: '$5' }

/**
 * Leases deliveries that are still due, and inserts an attempt for each. The statement commits before anything is sent.
 * A delivery whose lease expired lost its worker; one without its verification is deleted.
 */
export async function leaseDeliveries(
  tx: Tx,
  { deliveryIds, verificationIds }: Pick<Choice, 'deliveryIds' | 'verificationIds'>,
  times: LeaseTimes,
): Promise<LeasedDelivery[]> {
  const { from, to } = rangeOf(daysOf(tx.sealer, verificationIds))
  const rows = await tx.query<LeasedRow>(
    {
      name: 'lease_deliveries',
      // Not flushed: if a power failure loses a lease, another worker takes it.
      text: `with soft as (select set_config('synchronous_commit', 'off', true)), locked as (
               -- coalesce() keeps the planner from the index of due deliveries: these must be looked up by id.
               select w.id from webhook_deliveries w
               where w.id = any ($3::text[]) and coalesce(w.state, '') = 'pending' and w.next_at <= $1
                 and (w.leased_until is null or w.leased_until <= $1)
               order by w.id for update skip locked
             ), taken as (
               update webhook_deliveries d set leased_until = $2, fence = d.fence + 1,
                 abandoned = d.abandoned + case when d.leased_until is null then 0 else 1 end
               from locked where d.id = locked.id
               returning d.id, d.tenant_id, d.environment, d.verification_id, d.type, d.fence, d.attempts, d.abandoned, d.created_at,
                 nextval('webhook_attempts_id_seq') as attempt_id
             ), left_behind as (
               update webhook_attempts a set finished_at = $1, outcome = 'abandoned' from taken c
               where c.abandoned > 0 and a.delivery_id = c.id and a.finished_at is null and a.trigger = 'schedule'
             ), leased as materialized (
               select c.id as delivery_id, c.fence, c.attempts, c.abandoned, c.created_at as delivery_created_at,
                      c.attempt_id, ${typeOf('c')} as event_type, ${VERIFICATION_COLUMNS}
               from taken c left join verifications v on v.id = c.verification_id and ${inKnownDays('v.day', OF_LEASED)}
               left join verification_results r on r.verification_id = v.id and ${inKnownDays('r.day', OF_LEASED)}
             ), tried as (
               insert into webhook_attempts (id, delivery_id, tenant_id, environment, trigger, started_at)
               overriding system value
               select attempt_id, delivery_id, "tenantId", environment, 'schedule', $1 from leased where leased.id is not null
             )
             select leased.* from soft, leased`,
      replanEachCall: true,
    },
    [times.now, times.leaseUntil, deliveryIds, from, to],
  )
  const [found, orphans] = [rows.filter(({ id }) => id !== null), rows.filter(({ id }) => id === null)]
  if (orphans.length > 0)
    await eraseOrphans(
      tx,
      orphans.map((row) => row.delivery_id),
    )
  return found.map((row) => ({
    id: row.delivery_id,
    type: row.event_type,
    fence: row.fence,
    attemptId: row.attempt_id,
    attempts: row.attempts,
    abandoned: row.abandoned,
    createdAt: row.delivery_created_at,
    verification: row,
  }))
}

/** The outcome of a scheduled attempt, and the next state of its delivery. */
export interface EndedAttempt {
  readonly delivery: LeasedDelivery
  readonly state: DeliveryState
  readonly attempts: number
  readonly nextAt: Instant | null
  readonly outcome: string
  readonly httpStatus: number | null
  /** Whether the payload contained the content. If not, a success does not count as its receipt. */
  readonly gaveContent: boolean
  readonly heldFor: string | null
  /** null if the attempt did not fail. */
  readonly failedAtOrigin: string | null
  /** null if nothing was sent. */
  readonly sentAt: Instant | null
  readonly tookMs: number | null
  readonly answer: ReceiverAnswer | null
}

/**
 * Ends attempts if their worker still has the lease. A delivery that staff delivered meanwhile stays delivered; one
 * held for a destination that was enabled meanwhile is due at once. Deletes content that must not outlive its receipt,
 * and returns the deliveries concerned.
 */
export async function endAttempts(
  tx: Tx,
  ended: readonly EndedAttempt[],
  times: { readonly now: Instant; readonly answersUntil: Instant },
): Promise<{ readonly forgotten: readonly string[] }> {
  const statement = { ...END_ATTEMPTS, replanEachCall: true } as const
  const sealed = ended.map((one) => {
    const { attemptId, verification } = one.delivery
    return { ...one, sealedAnswer: sealAnswer(tx, { realm: verification, attemptId }, one.answer) }
  })
  const rows = await runStatement<{ id: string }, EndedAttempts>(tx, statement, { ended: sealed, ...times })
  return { forgotten: rows.map(({ id }) => id) }
}

type SealedAttempt = EndedAttempt & { readonly sealedAnswer: Uint8Array | null }

const ENDED: readonly Column<SealedAttempt>[] = [
  { name: 'id', type: 'text', get: ({ delivery }) => delivery.id },
  { name: 'tenant_id', type: 'text', get: ({ delivery }) => delivery.verification.tenantId },
  { name: 'fence', type: 'bigint', get: ({ delivery }) => delivery.fence },
  { name: 'attempt_id', type: 'bigint', get: ({ delivery }) => delivery.attemptId },
  { name: 'outcome', type: 'text', get: (one) => one.outcome },
  { name: 'http_status', type: 'integer', get: (one) => one.httpStatus },
  { name: 'gave_content', type: 'boolean', get: (one) => one.gaveContent },
  { name: 'state', type: 'text', get: (one) => one.state },
  { name: 'next_at', type: 'timestamptz', get: (one) => one.nextAt },
  { name: 'attempts', type: 'integer', get: (one) => one.attempts },
  { name: 'held_for', type: 'text', get: (one) => one.heldFor },
  { name: 'failed_at_origin', type: 'text', get: (one) => one.failedAtOrigin },
  { name: 'sent_at', type: 'timestamptz', get: (one) => one.sentAt },
  { name: 'took_ms', type: 'integer', get: (one) => one.tookMs },
  { name: 'sealed_answer', type: 'bytea', get: (one) => one.sealedAnswer },
]

interface EndedAttempts {
  readonly ended: readonly SealedAttempt[]
  readonly now: Instant
  readonly answersUntil: Instant
}

const END_ATTEMPTS = defineStatement<EndedAttempts>('end_attempts', (parameters) => {
  const input = parameters.rows(ENDED, ({ ended }) => ended)
  const at = parameters.one(({ now }) => now)
  const answersUntil = parameters.one((input) => input.answersUntil)
  const inDay = inDays(
    'r.day',
    dayParameters(parameters, ({ ended }) => ended.map(({ delivery }) => delivery.verification.day)),
  )
  // Joins the parameters in the first CTE: the planner does not know the sizes of CTEs, and would compare every pair of
  // rows (256 ends: 110 ms instead of 15).
  return `with ended as materialized (
            select e.*, d.environment from (select * from ${input.unnest('g')} order by id) e
            cross join lateral (
              select tenant_id, environment from webhook_deliveries where id = e.id and fence = e.fence for update) d
            where d.tenant_id = e.tenant_id
          ), held as (
            select e.id, w.origin from ended e join webhook_destinations w
            on w.tenant_id = e.tenant_id and w.environment = e.environment and w.origin = e.held_for
            where e.held_for is not null and w.disabled_at is not null for key share of w
          ), done as (
            update webhook_deliveries d set leased_until = null, abandoned = 0, attempts = e.attempts,
              state = case when d.state = 'delivered' then d.state
                when e.state = 'held' and h.id is null then 'pending' else e.state end,
              next_at = coalesce(e.next_at, ${at}), held_for = case when d.state <> 'delivered' then h.origin end,
              failed_at_origin = coalesce(e.failed_at_origin, d.failed_at_origin)
            from ended e left join held h on h.id = e.id
            where d.id = e.id and d.tenant_id is not distinct from e.tenant_id and d.fence = e.fence
            returning d.id, d.tenant_id, d.environment, d.verification_id, e.attempt_id, e.outcome, e.http_status, e.sent_at,
              e.took_ms, e.sealed_answer, e.gave_content
          ), noted as (
            update webhook_attempts a set finished_at = ${at}, outcome = done.outcome, http_status = done.http_status,
              sent_at = done.sent_at, took_ms = done.took_ms
            from done where a.id = done.attempt_id and a.tenant_id = done.tenant_id and a.finished_at is null
          ), ${answersKept(answersUntil, inDay)}, ${hoursCounted(at)}, received as (
            select r.verification_id, r.tenant_id, done.id from verification_results r
            join done on done.verification_id = r.verification_id and done.tenant_id = r.tenant_id
            where done.outcome = 'delivered' and done.gave_content and r.forget_at is not null and ${inDay} order by r.verification_id for update of r
          ), forgotten as (
            update verification_results r set ${forgottenBy('receipt', at)}
            from received where r.verification_id = received.verification_id and r.tenant_id = received.tenant_id and ${inDay}
            returning received.id
          )
          select id from forgotten`
})
