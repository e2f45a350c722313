// Reads due times of webhooks together with the deliveries that they summarize, in one snapshot of the store.

import type { Tx } from '../../src/platform/postgres/db.ts'

export interface RealmDue {
  readonly tenantId: string
  /** When its first pending delivery is due, or that delivery's lease expires. */
  readonly due: string | null
  /** Its earliest stored time. */
  readonly kept: string | null
}

/** Returns every realm that has pending deliveries or a due time. */
export async function readDueTimes(tx: Tx): Promise<RealmDue[]> {
  return tx.query<RealmDue>({
    name: 'test_due_times',
    text: `select coalesce(d.tenant_id, t.tenant_id) as "tenantId", d.due, t.kept from (
             select tenant_id, environment, min(greatest(next_at, leased_until)) as due
             from webhook_deliveries where state = 'pending' group by 1, 2) d
           full join (select tenant_id, environment, min(due_at) as kept from webhook_due_times group by 1, 2) t
             on t.tenant_id = d.tenant_id and t.environment = d.environment`,
  })
}

/** Realms whose deliveries would be sent too late, or never. */
export const lateRealms = (realms: readonly RealmDue[]) =>
  realms.filter(({ due, kept }) => due !== null && (kept === null || Date.parse(kept) > Date.parse(due)))
