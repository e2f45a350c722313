// Cancels a verification that has no answer yet, without a result.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'

interface Cancellation {
  readonly id: string
  /** Only what that device created; null for all of the realm. */
  readonly deviceId: string | null
  readonly at: Instant
}

/**
 * One conditional update, which also destroys the encryption key and the transaction: against a concurrent wallet
 * answer, only one of the two finds it pending.
 */
export async function cancelPending(tx: Tx, realm: Realm, cancellation: Cancellation): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'cancel_pending_verification',
      text: `update verifications set status = 'cancelled', expires_at = greatest($4, created_at),
                    encryption_key = null, request_object = null, transaction_data = null
             where id = $3 and tenant_id = $1 and environment = $2 and status = 'pending' and expires_at > $4
               and ($5::text is null or (actor_type = 'device' and actor_id = $5))
             returning id`,
    },
    [realm.tenantId, realm.environment, cancellation.id, cancellation.at, cancellation.deviceId],
  )
  return rows.length > 0
}
