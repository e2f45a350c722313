// Deletes failed webhook destinations that are no longer used, or whose verifications are all erased.

import type { Deps } from '../../../deps.ts'
import { instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { findUnusedDestinationsAcrossTenants, forgetQuietDestinationsAcrossTenants } from '../store/destinations.ts'
import { forgetDestinationIfUnused } from './forget-destination.ts'

const QUIET_MS = 30 * 86_400_000

export async function forgetDestinations(
  deps: Pick<Deps, 'db' | 'clock' | 'audit'>,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  const nowMs = deps.clock.now()
  await forgetQuietDestinationsAcrossTenants(deps.db, instantOf(nowMs - QUIET_MS))
  for (const destination of await findUnusedDestinationsAcrossTenants(deps.db)) {
    stopped.throwIfAborted()
    await deps.db.transaction(async (tx) => {
      const event = await forgetDestinationIfUnused(tx, destination)
      if (event !== null) await deps.audit.record(tx, destination, { now: instantOf(nowMs), ...event })
    })
  }
}
