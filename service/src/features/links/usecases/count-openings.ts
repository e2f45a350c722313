// Job: counts openings of links whose verification has ended, and returns uses that a stopped process left behind.

import type { Deps } from '../../../deps.ts'
import { runInSteps } from '../../../platform/steps.ts'
import { instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import {
  countEndedOpeningsAcrossTenants,
  daysOfOpeningsAcrossTenants,
  giveLostUsesBackAcrossTenants,
  type OpeningPosition,
} from '../store/openings.ts'

const STEPS = { rowsEach: 500, stepsMax: 200 }
/** One run reads each opening once, so strangers who open links only to wait cannot keep others from being counted. */
const READ_ROWS_EACH = 2_000
/** The opening of an expired verification is counted after this time: an answer that arrived in time may still be processed. */
const EXPIRED_MS = 60_000
/** A use is returned after this time if its verification does not exist. No creation takes this long. */
const LOST_MS = 10 * 60_000

export async function countLinkOpenings(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  const before = (ms: number) => instantOf(clock.now() - ms)
  const days = await daysOfOpeningsAcrossTenants(db, before(0))
  const terms = { expiredBefore: before(EXPIRED_MS), days, rowsMax: READ_ROWS_EACH }
  let after: OpeningPosition | null = { tenantId: '', verificationId: '' }
  for (let step = 0; step < STEPS.stepsMax && after !== null; step += 1) {
    stopped.throwIfAborted()
    after = await countEndedOpeningsAcrossTenants(db, { ...terms, after })
  }
  const giveBack = () =>
    giveLostUsesBackAcrossTenants(db, { openedBefore: before(LOST_MS), days, rowsMax: STEPS.rowsEach })
  await runInSteps(giveBack, { ...STEPS, stopped })
}
