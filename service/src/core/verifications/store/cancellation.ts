// Cancels a verification that has no answer yet, without a result.

import { dayOf, inDay } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'

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
export async function cancelPending(tx: Tx, realm: Realm, cancellation: Cancellation): Promise<number | null> {
  const [row] = await tx.query<{ day: number }>(
    {
      name: 'cancel_pending_verification',
      text: `update verifications set status = 'cancelled', expires_at = greatest($4, created_at),
                    encryption_key = null, request_object = null, transaction_data = null
             where id = $3 and tenant_id = $1 and environment = $2 and ${inDay('day', '$6')} and status = 'pending' and expires_at > $4
               and ($5::text is null or (actor_type = 'device' and actor_id = $5))
             returning day`,
      replanEachCall: true,
    },
    [
      realm.tenantId,
      realm.environment,
      cancellation.id,
      cancellation.at,
      cancellation.deviceId,
      dayOf(tx.sealer, cancellation.id),
    ],
  )
  return row?.day ?? null
}
