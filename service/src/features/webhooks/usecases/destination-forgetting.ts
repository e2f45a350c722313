// Deletes a destination with the last verification that failed there.

import type { ForgettingContribution } from '../../../core/verifications/usecases/forgetting/contributions.ts'
import { destinationForgotten } from '../domain/destination.ts'
import { forgetUnusedDestination } from '../store/destinations.ts'

export const destinationForgetting: ForgettingContribution = {
  name: 'destinations',
  async forgetDerived(tx, realm, { failedOrigins }) {
    const events = []
    for (const origin of failedOrigins)
      if (await forgetUnusedDestination(tx, { ...realm, origin })) events.push(destinationForgotten(realm))
    return events
  },
}
