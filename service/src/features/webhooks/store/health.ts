// Counts the newest webhooks of a realm by state.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

export interface DeliveryCounts {
  readonly delivered: number
  /** Being sent, or to be retried. */
  readonly waiting: number
  readonly failed: number
}

/** Among the newest since an instant, at most `window` of them. */
export async function countRecentDeliveries(
  tx: Tx,
  realm: Realm,
  filter: { readonly since: Instant; readonly window: number },
): Promise<DeliveryCounts> {
  const [row] = await tx.query<DeliveryCounts>(
    {
      name: 'count_recent_deliveries',
      text: `select count(*) filter (where state = 'delivered')::int as delivered,
               count(*) filter (where state in ('pending', 'held'))::int as waiting,
               count(*) filter (where state = 'failed')::int as failed
             from (select state from webhook_deliveries
                   where tenant_id = $1 and environment = $2 and created_at >= $3
                   order by created_at desc limit $4) newest`,
    },
    [realm.tenantId, realm.environment, filter.since, filter.window],
  )
  return row ?? { delivered: 0, waiting: 0, failed: 0 }
}
