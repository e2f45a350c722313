// Webhook destinations that failed and were then never used again are forgotten, and those whose verifications are all erased.

import type { Deps } from '../../deps.ts'
import { destinationForgotten } from '../../domain/webhook/destination.ts'
import { instantOf, NEVER_STOPPED } from '../../domain/world.ts'
import {
  findUnusedDestinationsAcrossTenants,
  forgetQuietDestinationsAcrossTenants,
  forgetUnusedDestination,
} from '../../store/webhooks/destinations.ts'
import { recordEvent } from '../audit/record-event.ts'

const QUIET_MS = 30 * 86_400_000

export async function forgetDestinations(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'headMacs'>,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  const nowMs = deps.clock.now()
  await forgetQuietDestinationsAcrossTenants(deps.db, instantOf(nowMs - QUIET_MS))
  for (const destination of await findUnusedDestinationsAcrossTenants(deps.db)) {
    stopped.throwIfAborted()
    await deps.db.transaction(async (tx) => {
      if (!(await forgetUnusedDestination(tx, destination))) return
      await recordEvent(deps, tx, destination, { now: instantOf(nowMs), ...destinationForgotten(destination) })
    })
  }
}
