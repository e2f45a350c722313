// Job: deletes links some days after their end.

import type { Deps } from '../../../deps.ts'
import { runInSteps } from '../../../platform/steps.ts'
import { instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { forgetLinksAcrossTenants } from '../store/links.ts'

const STEPS = { rowsEach: 500, stepsMax: 200 }

export async function forgetLinks(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  const forget = () => forgetLinksAcrossTenants(db, instantOf(clock.now()), STEPS.rowsEach)
  await runInSteps(forget, { ...STEPS, stopped })
}
