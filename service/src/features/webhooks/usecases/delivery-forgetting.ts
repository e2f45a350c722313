// Deletes deliveries, responses and unused destinations when their verification is deleted.

import type { ForgettingContribution } from '../../../core/verifications/usecases/forgetting/contributions.ts'
import { forgetAnswersOf } from '../store/answers.ts'
import { eraseDeliveries, eraseDeliveriesOfLapsed, findUndelivered } from '../store/deliveries.ts'
import { forgetDestinationIfUnused } from './forget-destination.ts'

export const deliveryForgetting: ForgettingContribution = {
  name: 'deliveries',
  // Runs after core's update, which waits for an attempt that is ending. So the attempt's response is found.
  forgetContent: forgetAnswersOf,
  findInUse: findUndelivered,
  async forgetDerived(tx, realm, ids) {
    const { count, failedOrigins } = await eraseDeliveries(tx, realm, ids)
    const events = []
    for (const origin of failedOrigins) {
      const event = await forgetDestinationIfUnused(tx, { ...realm, origin })
      if (event !== null) events.push(event)
    }
    return { events, counts: { webhook_deliveries: count } }
  },
  // The job forget-destinations deletes destinations without deliveries.
  forgetLapsed: eraseDeliveriesOfLapsed,
  derivedTables: ['webhook_deliveries'],
}
