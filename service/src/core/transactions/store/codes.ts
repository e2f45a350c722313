// Stores the digests of used authentication codes. Each code belongs to one verification of its realm.

import { dayOf, lockedVerification } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'

/**
 * Whether the code belongs to this verification: no other used it, or an earlier attempt to end this one did. False if
 * the verification was erased. One statement, so that a concurrent call waits and then sees the row.
 */
export async function takeCode(
  tx: Tx,
  realm: Realm,
  { digest, verificationId, now }: { digest: Uint8Array; verificationId: string; now: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'take_authentication_code',
      text: `with locked as (${lockedVerification({ tenant: '$1', id: '$4', day: '$6' })})
             insert into authentication_codes (tenant_id, environment, digest, verification_id, used_at)
             select $1, $2, $3, locked.id, $5 from locked
             on conflict (tenant_id, environment, digest) do update set used_at = authentication_codes.used_at
               where authentication_codes.verification_id = excluded.verification_id
             returning 1 as taken`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, digest, verificationId, now, dayOf(tx.sealer, verificationId)],
  )
  return rows.length === 1
}

/** Deletes the oldest codes first, and returns how many. */
export async function forgetCodesAcrossTenants(tx: Tx, before: Instant, rowsMax: number): Promise<number> {
  const rows = await tx.query(
    {
      name: 'forget_authentication_codes',
      text: `delete from authentication_codes where (tenant_id, environment, digest) in (
               select tenant_id, environment, digest from authentication_codes where used_at < $1
               order by used_at limit $2 for update skip locked)
             returning 1 as gone`,
    },
    [before, rowsMax],
  )
  return rows.length
}
