// Counts the tries to confirm a wallet's answer from another device or browser.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { BoundBy } from '../../../core/verifications/domain/browser-binding.ts'
import { isDay } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

interface Confirming {
  readonly id: string
  /** The partition of the verification. */
  readonly day: number
  /** The maximum number of tries. */
  readonly triesMax: number
}

interface Attempt extends Confirming {
  /** null: the code was wrong. */
  readonly boundBy: BoundBy | null
  readonly costsTry: boolean
  /** The wallet's answer must not be older than this. */
  readonly answeredAfter: Instant
}

/** SQL for the sign-in whose answer is not bound yet. Locks the verification's row first, as an erasure does. */
const UNBOUND = `select a.id, a.verification_id from oidc_authorizations a
  join verifications v on v.id = a.verification_id and v.tenant_id = a.tenant_id and ${isDay('v.day', '$4')}
  where a.id = $3 and a.tenant_id = $1 and a.environment = $2 and v.status = 'completed' and v.bound_by is null`
const LOCKING = 'for no key update of v'

/** Spends a try for a typed code, and binds the answer if the code was right and a try was left, in one statement. */
export async function tryConfirmation(tx: Tx, realm: Realm, attempt: Attempt): Promise<void> {
  const { id, day, triesMax, boundBy, costsTry, answeredAfter } = attempt
  await tx.query(
    {
      name: 'try_oidc_confirmation',
      text: `with locked as (${UNBOUND} and v.responded_at > $6 ${LOCKING}),
             tried as (
               update oidc_authorizations a set confirm_tries = a.confirm_tries + $7::int from locked
               where a.id = locked.id and a.tenant_id = $1 and a.confirm_tries < $5::int and a.code_hash is null returning a.verification_id)
             update verifications v set bound_by = $8::text from tried
             where v.id = tried.verification_id and v.tenant_id = $1 and ${isDay('v.day', '$4')} and $8::text is not null`,
    },
    [realm.tenantId, realm.environment, id, day, triesMax, answeredAfter, costsTry ? 1 : 0, boundBy],
  )
}

/** Ends all tries, so that nothing can bind the answer any more. False if it was bound in the meantime. */
export async function endConfirmation(tx: Tx, realm: Realm, { id, day, triesMax }: Confirming): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'end_oidc_confirmation',
      text: `with locked as (${UNBOUND} ${LOCKING})
             update oidc_authorizations a set confirm_tries = greatest(a.confirm_tries, $5::int) from locked
             where a.id = locked.id and a.tenant_id = $1 and a.code_hash is null returning a.id`,
    },
    [realm.tenantId, realm.environment, id, day, triesMax],
  )
  return rows.length > 0
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
