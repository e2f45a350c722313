// Cancels the pending verifications of a device.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { CANCELLED } from '../../../core/verifications/store/cancellation.ts'
import { daysAround, inKnownDays, rangeOf } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type Instant, millisecondsOf } from '../../../platform/world.ts'

/** At most `limit`. Locks them in the order of their ids, as endings do. */
export async function cancelPendingOfDevice(
  tx: Tx,
  realm: Realm,
  { deviceId, at, limit }: { readonly deviceId: string; readonly at: Instant; readonly limit: number },
): Promise<{ readonly id: string; readonly day: number }[]> {
  const { from, to } = rangeOf(daysAround(millisecondsOf(at)))
  return tx.query(
    {
      name: 'cancel_pending_of_device',
      text: `with next as materialized (
               select id from verifications
               where tenant_id = $1 and environment = $2 and actor_type = 'device' and actor_id = $3 and ${inKnownDays('day', { from: '$6', to: '$7' })}
                 and created_at > $5::timestamptz - interval '2 hours' and status = 'pending' and expires_at > $5
               order by id limit $4 for update)
             update verifications set ${CANCELLED}
             where tenant_id = $1 and id in (select id from next) and ${inKnownDays('day', { from: '$6', to: '$7' })}
             returning id, day`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, deviceId, limit, at, from, to],
  )
}
