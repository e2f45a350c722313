// Binds a verification of the hosted page to a browser.

import { dayOf, inDay } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'

/** One conditional update: of two concurrent browsers, one gets the verification. A sign-in has a browser already. */
export async function holdVerification(
  tx: Tx,
  realm: Realm,
  hold: { readonly id: string; readonly browserHash: Uint8Array; readonly now: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'hold_verification',
      text: `update verifications set browser_hash = $4
             where id = $3 and tenant_id = $1 and environment = $2 and ${inDay('day', '$6')} and browser_hash is null and status = 'pending'
               and expires_at > $5 and coalesce(browser_binding, 'first') = 'first'
             returning id`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, hold.id, hold.browserHash, hold.now, dayOf(tx.sealer, hold.id)],
  )
  return rows.length === 1
}
