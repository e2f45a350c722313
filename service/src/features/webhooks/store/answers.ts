// Stores receivers' responses sealed, one row per attempt, for days.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import { answerOfAttemptSealContext, type ReceiverAnswer } from '../domain/answer.ts'

/**
 * CTEs for a statement that ends attempts: they store the responses in its CTE `done`. Omit responses to content that
 * is deleted or will be, because a response may echo it. `inDay`: a condition on the partition of results, if known.
 */
export const answersKept = (until: string, inDay = 'true') => `keepable as (
            select e.id, e.tenant_id, e.environment, e.attempt_id, e.sealed_answer
            from done e join verification_results r on r.verification_id = e.verification_id and r.tenant_id = e.tenant_id
            where e.sealed_answer is not null and r.forget_at is null and r.forgotten_at is null and ${inDay}
            order by r.verification_id for share of r
          ), answered as (
            insert into webhook_answers (attempt, delivery_id, tenant_id, environment, sealed, kept_until)
            select attempt_id::text, id, tenant_id, environment, sealed_answer, ${until} from keepable
          )`

/** Returns null if there is no response. */
export function sealAnswer(
  { sealer }: Sealing,
  { realm, attemptId }: { readonly realm: Realm; readonly attemptId: number },
  answer: ReceiverAnswer | null,
): Buffer | null {
  if (answer === null) return null
  const context = answerOfAttemptSealContext(realm, String(attemptId))
  return sealer.seal(Buffer.from(JSON.stringify(answer), 'utf8'), context)
}

/** Returns responses by attempt. */
export async function listAnswers(
  tx: Tx,
  realm: Realm,
  attempts: readonly string[],
): Promise<Map<string, ReceiverAnswer>> {
  const rows = await tx.query<{ attempt: string; sealed: Buffer }>(
    {
      name: 'list_webhook_answers',
      text: `select attempt, sealed from webhook_answers
             where attempt = any ($3::text[]) and tenant_id = $1 and environment = $2`,
    },
    [realm.tenantId, realm.environment, attempts],
  )
  return new Map(
    rows.map(({ attempt, sealed }) => {
      const text = tx.sealer.open(sealed, answerOfAttemptSealContext(realm, attempt)).toString('utf8')
      return [attempt, JSON.parse(text)]
    }),
  )
}

/** Returns how many responses it deleted. Uses the index on their expiry. */
export async function forgetAnswersAcrossTenants(tx: Tx, now: Instant, rowsMax: number): Promise<number> {
  const rows = await tx.query(
    {
      name: 'forget_old_webhook_answers',
      text: `delete from webhook_answers where attempt = any (array(
               select attempt from webhook_answers where kept_until <= $1 order by kept_until limit $2 for update skip locked))
             returning 1 as gone`,
    },
    [now, rowsMax],
  )
  return rows.length
}

/** Deletes responses to deliveries of a verification whose content was deleted, because they may echo it. */
export async function forgetAnswersOf(tx: Tx, realm: Realm, verificationId: string): Promise<void> {
  await tx.query(
    {
      name: 'forget_webhook_answers',
      text: `delete from webhook_answers a using webhook_deliveries d
             where d.verification_id = $3 and d.tenant_id = $1 and d.environment = $2 and a.delivery_id = d.id
               and a.tenant_id = d.tenant_id`,
    },
    [realm.tenantId, realm.environment, verificationId],
  )
}
