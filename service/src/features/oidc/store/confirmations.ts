// Counts the tries to confirm a wallet's answer from another device or browser.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { isDay } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

export interface Confirming {
  readonly id: string
  /** The partition of the verification. */
  readonly day: number
  readonly isRight: boolean
  /** The maximum number of tries. */
  readonly triesMax: number
  /** The wallet's answer must not be older than this. */
  readonly answeredAfter: Instant
}

/**
 * Each typed code costs a try. The right code binds the answer to the browser if a try was left; one statement does
 * both.
 */
export async function tryConfirmation(tx: Tx, realm: Realm, attempt: Confirming): Promise<void> {
  await tx.query(
    {
      name: 'try_oidc_confirmation',
      text: `with locked as (
               select a.id, a.verification_id from oidc_authorizations a
               join verifications v on v.id = a.verification_id and v.tenant_id = a.tenant_id and ${isDay('v.day', '$7')}
               where a.id = $3 and a.tenant_id = $1 and a.environment = $2 and v.status = 'completed' and v.bound_by is null
                 and v.responded_at > $6 for no key update of v),
             tried as (
               update oidc_authorizations a set confirm_tries = a.confirm_tries + 1 from locked
               where a.id = locked.id and a.tenant_id = $1 and a.confirm_tries < $5::int and a.code_hash is null returning a.verification_id)
             update verifications v set bound_by = 'code' from tried
             where v.id = tried.verification_id and v.tenant_id = $1 and ${isDay('v.day', '$7')} and $4::boolean`,
    },
    [
      realm.tenantId,
      realm.environment,
      attempt.id,
      attempt.isRight,
      attempt.triesMax,
      attempt.answeredAfter,
      attempt.day,
    ],
  )
}

/** After this, no code confirms the answer. */
export async function endConfirmation(
  tx: Tx,
  realm: Realm,
  { id, triesMax }: Pick<Confirming, 'id' | 'triesMax'>,
): Promise<void> {
  await tx.query(
    {
      name: 'end_oidc_confirmation',
      text: `update oidc_authorizations set confirm_tries = greatest(confirm_tries, $4::int)
             where id = $3 and tenant_id = $1 and environment = $2 and code_hash is null`,
    },
    [realm.tenantId, realm.environment, id, triesMax],
  )
}

/** Records that the wallet returned to another browser than the one that began the sign-in. */
export async function noteReturnedElsewhere(
  tx: Tx,
  realm: Realm,
  { id, at }: { readonly id: string; readonly at: Instant },
): Promise<void> {
  await tx.query(
    {
      name: 'note_oidc_returned_elsewhere',
      text: `update oidc_authorizations set returned_elsewhere_at = $4
             where id = $3 and tenant_id = $1 and environment = $2 and returned_elsewhere_at is null`,
    },
    [realm.tenantId, realm.environment, id, at],
  )
}
