// Job: counts openings of links whose verification has ended, and returns uses that a stopped process left behind.

import type { Deps } from '../../../deps.ts'
import { runInSteps } from '../../../platform/steps.ts'
import { instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { countEndedOpeningsAcrossTenants, giveLostUsesBackAcrossTenants } from '../store/openings.ts'

const STEPS = { rowsEach: 500, stepsMax: 200 }
/** The opening of an expired verification is counted after this time: an answer that arrived in time may still be processed. */
const EXPIRED_MS = 60_000
/** A use is returned after this time if its verification does not exist. No creation takes this long. */
const LOST_MS = 10 * 60_000

export async function countLinkOpenings(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  const rowsMax = STEPS.rowsEach
  const before = (ms: number) => instantOf(clock.now() - ms)
  const count = () => countEndedOpeningsAcrossTenants(db, { expiredBefore: before(EXPIRED_MS), rowsMax })
  const giveBack = () => giveLostUsesBackAcrossTenants(db, { openedBefore: before(LOST_MS), rowsMax })
  for (const step of [count, giveBack]) await runInSteps(step, { ...STEPS, stopped })
}
