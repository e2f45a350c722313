// Every minute: submits the last checkpoint to witnesses, grows the log, and submits the new checkpoint.

import { NEVER_STOPPED } from '../../../platform/world.ts'
import { askWitnesses, type WitnessNeeds } from './ask-witnesses.ts'
import { type GrowthNeeds, growLog } from './grow-log.ts'
import { goOnWithEpoch } from './open-epoch.ts'

export async function maintainLog(
  deps: GrowthNeeds & WitnessNeeds,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  // Opens a waiting epoch as soon as all witnesses have cosigned it.
  await goOnWithEpoch(deps)
  await askWitnesses(deps)
  const growth = await growLog(deps, stopped)
  if (growth.outcome === 'grown' && growth.leaves > 0) await askWitnesses(deps)
}
