// The job that counts: what was answered since it last ran, what nobody answered in time, and away with what is older than anybody looks at.

import { TTL_SECONDS } from '../../../../../wire/values/verifications.ts'
import { COUNTS_KEPT_MS, countsOf, type Step } from '../../../core/verifications/domain/counts.ts'
import type { Deps } from '../../../deps.ts'
import { runInSteps } from '../../../platform/steps.ts'
import { instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import {
  addCounts,
  byRealm,
  deleteCountsBeforeOfAllTenants,
  findUnansweredAcrossTenants,
  lockExpiryMark,
  moveExpiryMark,
  takeUncountedAcrossTenants,
} from '../store/counts.ts'

const STEP_ROWS = 1_000
const STEPS = { rowsEach: STEP_ROWS, stepsMax: 100 }
/** A wallet's answer that arrived in time may still be under examination. */
const GRACE_MS = 60_000

type Needs = Pick<Deps, 'db' | 'clock' | 'metrics'>

export async function countEndings(
  deps: Needs,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<{ readonly answered: number; readonly expired: number }> {
  const inSteps = (step: () => Promise<number>) => runInSteps(step, { ...STEPS, stopped })
  for (const step of ['hour', 'day'] as const) await inSteps(() => deleteOld(deps, step))
  const answered = await inSteps(() => countAnswered(deps))
  return { answered, expired: await inSteps(() => countExpired(deps)) }
}

function deleteOld(deps: Needs, step: Step): Promise<number> {
  const before = instantOf(deps.clock.now() - COUNTS_KEPT_MS[step])
  return deleteCountsBeforeOfAllTenants(deps.db, { step, before, rowsMax: STEP_ROWS })
}

/** Taken and counted in one transaction: each once, whoever dies in between. */
function countAnswered(deps: Needs): Promise<number> {
  return deps.db.transaction(async (tx) => {
    const taken = await takeUncountedAcrossTenants(tx, STEP_ROWS)
    for (const [realm, ended] of byRealm(taken)) await addCounts(tx, realm, countsOf(ended))
    return taken.length
  })
}

/** Counts and mark stand or fall together. */
async function countExpired(deps: Needs): Promise<number> {
  const untilMs = deps.clock.now() - GRACE_MS
  const expired = await deps.db.transaction(async (tx) => {
    // The first run counts from the longest lifetime ago.
    const after = await lockExpiryMark(tx, { expiresAt: instantOf(untilMs - TTL_SECONDS.max * 1000), id: '' })
    const found = await findUnansweredAcrossTenants(tx, { after, until: instantOf(untilMs), rowsMax: STEP_ROWS })
    const last = found.at(-1)
    if (last === undefined) return 0
    for (const [realm, unanswered] of byRealm(found)) {
      const ended = unanswered.map((one) => ({ ...one, outcome: 'expired' as const, answer: null }))
      await addCounts(tx, realm, countsOf(ended))
    }
    await moveExpiryMark(tx, last)
    return found.length
  })
  deps.metrics.expired.inc(expired)
  return expired
}
