// Used authentication codes: each belongs to one verification of its realm. Only digests are stored.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'

/**
 * Whether the code belongs to this verification: new, or taken by it before, when its end could not be written and the
 * wallet answered again.
 * In one statement: of two concurrent calls the second waits for the first, and sees it.
 */
export async function takeCode(
  tx: Tx,
  realm: Realm,
  code: { readonly digest: Uint8Array; readonly verificationId: string; readonly now: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'take_authentication_code',
      text: `insert into authentication_codes (tenant_id, environment, digest, verification_id, used_at)
             values ($1, $2, $3, $4, $5)
             on conflict (tenant_id, environment, digest) do update set used_at = authentication_codes.used_at
               where authentication_codes.verification_id = excluded.verification_id
             returning 1 as taken`,
    },
    [realm.tenantId, realm.environment, code.digest, code.verificationId, code.now],
  )
  return rows.length === 1
}

/** Returns how many were deleted; the oldest first. */
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
