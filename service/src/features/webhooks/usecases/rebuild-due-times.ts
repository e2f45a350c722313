// Adds missing due times, so that a wrong due time delays a webhook by at most this job's interval.

import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { addMissingDueTimesAcrossTenants } from '../store/due-times.ts'

export async function rebuildDueTimes(deps: Pick<Deps, 'db' | 'clock' | 'log'>): Promise<void> {
  const count = await addMissingDueTimesAcrossTenants(deps.db, instantOf(deps.clock.now()))
  if (count > 0) deps.log.error('webhooks would not have been sent in time', { count })
}
