// Deletes the content of results, not the verification. Rows stay marked until the audit trail has the deletion.

import { inDay, keyOf } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { isOfServedTenant } from '../../tenants/store/closed.ts'
import type { KeptResult } from '../domain/verification.ts'
import { sealResult } from './sealed-results.ts'

/** `receipt`: the merchant has received the content. `hold`: its maximum time is over. */
export type Forgetting = 'receipt' | 'hold'

/** For updates of `verification_results`: sets the columns of a row whose content is deleted, with the reason. */
export const forgottenBy = (why: Forgetting, at: string) =>
  `sealed = null, forget_at = null, forgotten_at = ${at}, unrecorded_forgetting = '${why}'`

/** `left`: what remains of the result of a failed verification; null for a completed one. */
export async function forgetContent(
  tx: Tx,
  realm: Realm,
  forgotten: { readonly id: string; readonly at: Instant; readonly left: KeptResult | null },
): Promise<void> {
  const { id, at, left } = forgotten
  await tx.query(
    {
      name: 'forget_content',
      text: `update verification_results set sealed = $6, forget_at = null, forgotten_at = $5
             where verification_id = $3 and tenant_id = $1 and environment = $2 and ${inDay('day', '$4')} and forgotten_at is null`,
      replanEachCall: true,
    },
    [...keyOf(tx.sealer, realm, id), at, left === null ? null : sealResult(tx, { ...realm, id }, left)],
  )
}

/** Only if the verification can no longer be answered: otherwise wallets would agree to nothing. */
export async function forgetTransaction(tx: Tx, realm: Realm, { id, at }: { id: string; at: Instant }): Promise<void> {
  await tx.query(
    {
      name: 'forget_transaction',
      text: `update verifications set transaction_data = null, request_object = null, served_requests = null
             where id = $3 and tenant_id = $1 and environment = $2 and ${inDay('day', '$4')}
               and (transaction_data is not null or request_object is not null or served_requests is not null)
               and (status <> 'pending' or expires_at <= $5)`,
      replanEachCall: true,
    },
    [...keyOf(tx.sealer, realm, id), at],
  )
}

/** Returns how many were deleted. Uses the index of due content, so that other rows cost nothing. */
export async function forgetOverdueAcrossTenants(
  tx: Tx,
  look: { readonly until: Instant; readonly at: Instant; readonly rowsMax: number },
): Promise<number> {
  const rows = await tx.query(
    {
      name: 'forget_overdue_content',
      // Skips locked rows, which are being deleted, erased or resealed. The next run finds those that remain.
      text: `with due as materialized (
               select verification_id, day from verification_results where forget_at <= $1
               order by forget_at limit $3 for update skip locked)
             update verification_results r set ${forgottenBy('hold', '$2')} from due
             where r.verification_id = due.verification_id and r.day = due.day returning 1 as gone`,
    },
    [look.until, look.at, look.rowsMax],
  )
  return rows.length
}

/** Whether content is left that was due at this time. */
export async function isOverdueAcrossTenants(tx: Tx, at: Instant): Promise<boolean> {
  const rows = await tx.query(
    { name: 'is_content_overdue', text: 'select 1 as there from verification_results where forget_at <= $1 limit 1' },
    [at],
  )
  return rows.length > 0
}

/** Realms whose audit trail lacks the record of a deletion. */
export async function findUnrecordedAcrossTenants(tx: Tx): Promise<Realm[]> {
  return tx.query(
    {
      name: 'find_unrecorded_forgettings',
      text: `select distinct r.tenant_id as "tenantId", r.environment from verification_results r
             where r.unrecorded_forgetting is not null and ${isOfServedTenant('r')}`,
    },
    [],
  )
}

export interface UnrecordedForgetting {
  readonly id: string
  readonly why: Forgetting
}

/** Takes the deletions to record. This transaction must record them. */
export async function takeUnrecorded(tx: Tx, realm: Realm, rowsMax: number): Promise<UnrecordedForgetting[]> {
  return tx.query(
    {
      name: 'take_unrecorded_forgettings',
      text: `with taken as materialized (
               select verification_id, day, unrecorded_forgetting as why from verification_results
               where tenant_id = $1 and environment = $2 and unrecorded_forgetting is not null
               order by verification_id limit $3 for update skip locked)
             update verification_results r set unrecorded_forgetting = null from taken
             where r.verification_id = taken.verification_id and r.day = taken.day and r.tenant_id = $1
             returning r.verification_id as id, taken.why`,
    },
    [realm.tenantId, realm.environment, rowsMax],
  )
}
