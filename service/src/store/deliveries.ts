// Webhook deliveries: a row is made in the transaction that ends a verification.

import { newDeliveryId } from '../domain/ids.ts'
import type { Place } from '../domain/place.ts'
import type { Instant, Random } from '../domain/world.ts'
import type { Tx } from './db.ts'

export async function enqueueDelivery(
  tx: Tx,
  place: Place,
  delivery: { readonly verificationId: string; readonly now: Instant; readonly random: Random },
): Promise<void> {
  await tx.query(
    {
      name: 'enqueue_delivery',
      text: `insert into webhook_deliveries (id, tenant_id, environment, verification_id, created_at, next_at)
             values ($1, $2, $3, $4, $5, $5)`,
    },
    [newDeliveryId(delivery.random), place.tenantId, place.environment, delivery.verificationId, delivery.now],
  )
}
