// Cancels a verification that has no answer yet, without a result.

import { inDay, keyOf } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'

/** For $5, the time of the cancellation. */
export const CANCELLED = `status = 'cancelled', expires_at = greatest($5, created_at),
                    encryption_key = null, request_object = null, served_requests = null, transaction_data = null`

interface Cancellation {
  readonly id: string
  /** Only verifications of this device; null: all of the realm. */
  readonly deviceId: string | null
  readonly at: Instant
}

/**
 * Returns the partition; null: nothing to cancel. Also destroys the encryption key and the transaction. One conditional
 * update, so that either this or a concurrent answer finds the verification pending.
 */
export async function cancelPending(tx: Tx, realm: Realm, { id, at, deviceId }: Cancellation): Promise<number | null> {
  const [row] = await tx.query<{ day: number }>(
    {
      name: 'cancel_pending_verification',
      text: `update verifications set ${CANCELLED}
             where id = $3 and tenant_id = $1 and environment = $2 and ${inDay('day', '$4')} and status = 'pending' and expires_at > $5
               and ($6::text is null or (actor_type = 'device' and actor_id = $6))
             returning day`,
      replanEachCall: true,
    },
    [...keyOf(tx.sealer, realm, id), at, deviceId],
  )
  return row?.day ?? null
}
