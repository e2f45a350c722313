// The content of results goes, and the verification stays. What went by itself is on the audit trail a moment later: the row says
// until then that it is not.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import type { KeptResult } from '../domain/verification.ts'
import { sealResult } from './sealed-results.ts'

/** The merchant has it, or it was held for as long as it may be. */
export type Forgetting = 'receipt' | 'hold'

/** Sets what a row has once its content went, with why: for whoever updates `verification_results`. */
export const forgottenBy = (why: Forgetting, at: string) =>
  `sealed = null, forget_at = null, forgotten_at = ${at}, unrecorded_forgetting = '${why}'`

/** Whoever answers, erases or forgets it now is over before; false where there is none. */
export async function lockVerification(tx: Tx, realm: Realm, id: string): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'lock_verification',
      text: 'select 1 as held from verifications where id = $3 and tenant_id = $1 and environment = $2 for update',
    },
    [realm.tenantId, realm.environment, id],
  )
  return rows.length === 1
}

/** `left`: what is left of a failed one's result; null of a completed one. */
export async function forgetContent(
  tx: Tx,
  realm: Realm,
  forgotten: { readonly id: string; readonly at: Instant; readonly left: KeptResult | null },
): Promise<void> {
  const { id, at, left } = forgotten
  await tx.query(
    {
      name: 'forget_content',
      text: `update verification_results set sealed = $5, forget_at = null, forgotten_at = $4
             where verification_id = $3 and tenant_id = $1 and environment = $2 and forgotten_at is null`,
    },
    [realm.tenantId, realm.environment, id, at, left === null ? null : sealResult(tx, { ...realm, id }, left)],
  )
  // Afterwards, in a statement of its own: an attempt that ended meanwhile is waited for above, and its answer seen here.
  await tx.query(
    {
      name: 'forget_webhook_answers',
      text: `delete from webhook_answers a using webhook_deliveries d
             where d.verification_id = $3 and d.tenant_id = $1 and d.environment = $2 and a.delivery_id = d.id`,
    },
    [realm.tenantId, realm.environment, id],
  )
}

/** Of one that nobody can answer any more: while it is open, without it wallets would agree to nothing. */
export async function forgetTransaction(tx: Tx, realm: Realm, { id, at }: { id: string; at: Instant }): Promise<void> {
  await tx.query(
    {
      name: 'forget_transaction',
      text: `update verifications set transaction_data = null
             where id = $3 and tenant_id = $1 and environment = $2 and transaction_data is not null
               and (status <> 'pending' or expires_at <= $4)`,
    },
    [realm.tenantId, realm.environment, id, at],
  )
}

/** How many went. By the index of what is due: what was kept or forgotten before costs nothing. */
export async function forgetOverdueAcrossTenants(
  tx: Tx,
  look: { readonly until: Instant; readonly at: Instant; readonly rowsMax: number },
): Promise<number> {
  const rows = await tx.query(
    {
      name: 'forget_overdue_content',
      // One that somebody holds is being forgotten, erased or sealed again: the next look finds it if it is still there.
      text: `update verification_results set ${forgottenBy('hold', '$2')} where verification_id = any (array(
               select verification_id from verification_results where forget_at <= $1
               order by forget_at limit $3 for update skip locked))
             returning 1 as gone`,
    },
    [look.until, look.at, look.rowsMax],
  )
  return rows.length
}

/** Whether there is content whose time was over then. */
export async function isOverdueAcrossTenants(tx: Tx, at: Instant): Promise<boolean> {
  const rows = await tx.query(
    { name: 'is_content_overdue', text: 'select 1 as there from verification_results where forget_at <= $1 limit 1' },
    [at],
  )
  return rows.length > 0
}

/** Realms whose trail lacks a forgetting. */
export async function findUnrecordedAcrossTenants(tx: Tx): Promise<Realm[]> {
  return tx.query(
    {
      name: 'find_unrecorded_forgettings',
      text: `select distinct tenant_id as "tenantId", environment from verification_results
             where unrecorded_forgetting is not null`,
    },
    [],
  )
}

export interface UnrecordedForgetting {
  readonly id: string
  readonly why: Forgetting
}

/** Takes them for this transaction, which is to record them. */
export async function takeUnrecorded(tx: Tx, realm: Realm, rowsMax: number): Promise<UnrecordedForgetting[]> {
  return tx.query(
    {
      name: 'take_unrecorded_forgettings',
      text: `with taken as (
               select verification_id, unrecorded_forgetting as why from verification_results
               where tenant_id = $1 and environment = $2 and unrecorded_forgetting is not null
               order by verification_id limit $3 for update skip locked)
             update verification_results r set unrecorded_forgetting = null from taken
             where r.verification_id = taken.verification_id returning r.verification_id as id, taken.why`,
    },
    [realm.tenantId, realm.environment, rowsMax],
  )
}
