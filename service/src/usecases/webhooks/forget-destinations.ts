// Webhook destinations that failed and were then never used again are forgotten, and those whose verifications are all erased.

import type { Deps } from '../../deps.ts'
import { instantOf } from '../../domain/world.ts'
import {
  forgetQuietDestinationsAcrossTenants,
  forgetUnusedDestinationsAcrossTenants,
} from '../../store/webhooks/destinations.ts'

const QUIET_MS = 30 * 86_400_000

export async function forgetDestinations(deps: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  await forgetQuietDestinationsAcrossTenants(deps.db, instantOf(deps.clock.now() - QUIET_MS))
  await forgetUnusedDestinationsAcrossTenants(deps.db)
}
