// Redeems response codes. Only their SHA-256 is stored, and each is valid once.

import { inDay, keyOf } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { isOpen } from '../../tenants/store/closed.ts'

interface Redemption {
  readonly id: string
  readonly codeHash: Uint8Array
  /** Only verifications of this device; null: all of the realm. */
  readonly deviceId: string | null
  readonly now: Instant
}

/**
 * One conditional update, so that only one of two concurrent redemptions gets true. False if this installation does not
 * serve the tenant: another one may already have redeemed the code.
 */
export async function redeemCode(tx: Tx, realm: Realm, redemption: Redemption): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'redeem_response_code',
      text: `update verifications set redeemed_at = $6
             where id = $3 and tenant_id = $1 and environment = $2 and ${inDay('day', '$4')} and response_code_hash = $5 and redeemed_at is null
               and ($7::text is null or (actor_type = 'device' and actor_id = $7))
               and exists (select from tenants t where t.id = $1 and ${isOpen('t')})
             returning id`,
      replanEachCall: true,
    },
    [...keyOf(tx.sealer, realm, redemption.id), redemption.codeHash, redemption.now, redemption.deviceId],
  )
  return rows.length === 1
}
