// Once a minute: the witnesses are shown what was signed last, so that a store that was set back is noticed before anything is
// signed on top of it; then the log grows, and they are shown what came of it.

import { NEVER_STOPPED } from '../../../platform/world.ts'
import { askWitnesses, type WitnessNeeds } from './ask-witnesses.ts'
import { type GrowthNeeds, growLog } from './grow-log.ts'
import { goOnWithEpoch } from './open-epoch.ts'

export async function keepLog(deps: GrowthNeeds & WitnessNeeds, stopped: AbortSignal = NEVER_STOPPED): Promise<void> {
  // One that waits for its witnesses is opened as soon as all have cosigned it.
  await goOnWithEpoch(deps)
  await askWitnesses(deps)
  const growth = await growLog(deps, stopped)
  if (growth.outcome === 'grown' && growth.leaves > 0) await askWitnesses(deps)
}
