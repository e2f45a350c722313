// Deletes deliveries, responses and unused destinations when their verification is deleted.

import type { ForgettingContribution } from '../../../core/verifications/usecases/forgetting/contributions.ts'
import { destinationForgotten } from '../domain/destination.ts'
import { forgetAnswersOf } from '../store/answers.ts'
import { eraseDeliveries, eraseDeliveriesOfLapsed, findUndelivered } from '../store/deliveries.ts'
import { forgetUnusedDestination } from '../store/destinations.ts'

export const deliveryForgetting: ForgettingContribution = {
  name: 'deliveries',
  // Runs after core's update, which waits for an attempt that is ending. So the attempt's response is found.
  forgetContent: forgetAnswersOf,
  findInUse: findUndelivered,
  async forgetDerived(tx, realm, ids) {
    const { count, failedOrigins } = await eraseDeliveries(tx, realm, ids)
    const events = []
    for (const origin of failedOrigins) {
      const entries = await forgetUnusedDestination(tx, { ...realm, origin })
      if (entries.length > 0) events.push(destinationForgotten(realm, entries))
    }
    return { events, counts: { webhook_deliveries: count } }
  },
  // The job forget-destinations deletes destinations without deliveries.
  forgetLapsed: eraseDeliveriesOfLapsed,
  derivedTables: ['webhook_deliveries'],
}
