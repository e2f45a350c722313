// Counts answered and expired verifications since the last run, and deletes counts that are no longer shown.

import { TTL_SECONDS } from '../../../../../wire/values/verifications.ts'
import type { Deps } from '../../../deps.ts'
import { runInSteps } from '../../../platform/steps.ts'
import { instantOf, millisecondsOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { COUNTS_KEPT_MS, countsOf, type Step } from '../domain/counts.ts'
import {
  addCounts,
  byRealm,
  deleteCountsBeforeOfAllTenants,
  findUnansweredAcrossTenants,
  findUncountedAcrossTenants,
  lockExpiryMark,
  moveExpiryMark,
  takeUncountedAcrossTenants,
  takeUncountedBatchesAcrossTenants,
} from '../store/counts.ts'

const STEP_ROWS = 1_000
const STEPS = { rowsEach: STEP_ROWS, stepsMax: 100 }
/** A row has at most the endings of one statement. */
const BATCH_STEPS = { rowsEach: 50, stepsMax: 500 }
/** A wallet's answer that arrived in time may still be processed. */
const GRACE_MS = 60_000
/** If nothing expired, the mark moves only this often, so that a run without work writes nothing. */
const MARK_LAG_MS = 600_000

type Needs = Pick<Deps, 'db' | 'clock' | 'metrics'>

export async function countEndings(
  deps: Needs,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<{ readonly answered: number; readonly expired: number }> {
  const untilMs = deps.clock.now() - GRACE_MS
  const look = { until: instantOf(untilMs), markBefore: instantOf(untilMs - MARK_LAG_MS) }
  const found = await findUncountedAcrossTenants(deps.db, look)
  const inSteps = (step: () => Promise<number>) => runInSteps(step, { ...STEPS, stopped })
  const single = found.single ? await inSteps(() => countAnswered(deps)) : 0
  const answered = single + (found.together ? await countBatches(deps, stopped) : 0)
  return { answered, expired: found.expired ? await inSteps(() => countExpired(deps)) : 0 }
}

export async function forgetCounts(
  deps: Pick<Needs, 'db' | 'clock'>,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  for (const step of ['hour', 'day'] as const) await runInSteps(() => deleteOld(deps, step), { ...STEPS, stopped })
}

function deleteOld(deps: Pick<Needs, 'db' | 'clock'>, step: Step): Promise<number> {
  const before = instantOf(deps.clock.now() - COUNTS_KEPT_MS[step])
  return deleteCountsBeforeOfAllTenants(deps.db, { step, before, rowsMax: STEP_ROWS })
}

/** Dequeued and counted in one transaction: each counts once, even if the process dies in between. */
function countAnswered(deps: Needs): Promise<number> {
  return deps.db.transaction(async (tx) => {
    const taken = await takeUncountedAcrossTenants(tx, STEP_ROWS)
    for (const [realm, ended] of byRealm(taken)) await addCounts(tx, realm, countsOf(ended))
    return taken.length
  })
}

async function countBatches(deps: Needs, stopped: AbortSignal): Promise<number> {
  let answered = 0
  await runInSteps(
    () =>
      deps.db.transaction(async (tx) => {
        const { rows, ended } = await takeUncountedBatchesAcrossTenants(tx, BATCH_STEPS.rowsEach)
        for (const [realm, of] of byRealm(ended)) await addCounts(tx, realm, countsOf(of))
        answered += ended.length
        return rows
      }),
    { ...BATCH_STEPS, stopped },
  )
  return answered
}

/** Counts and mark change in one transaction. */
async function countExpired(deps: Needs): Promise<number> {
  const untilMs = deps.clock.now() - GRACE_MS
  const until = instantOf(untilMs)
  const expired = await deps.db.transaction(async (tx) => {
    // The first run starts at the longest lifetime before now.
    const after = await lockExpiryMark(tx, { expiresAt: instantOf(untilMs - TTL_SECONDS.max * 1000), id: '' })
    const found = await findUnansweredAcrossTenants(tx, { after, until, rowsMax: STEP_ROWS })
    const isAll = found.length < STEP_ROWS
    if (found.length === 0 && millisecondsOf(after.expiresAt) > untilMs - MARK_LAG_MS) return 0
    for (const [realm, unanswered] of byRealm(found)) {
      const ended = unanswered.map((one) => ({ ...one, outcome: 'expired' as const, answer: null }))
      await addCounts(tx, realm, countsOf(ended))
    }
    const last = found.at(-1) ?? after
    // Moves past answered verifications, too, so that the next run does not read them again.
    await moveExpiryMark(tx, isAll && last.expiresAt < until ? { expiresAt: until, id: '' } : last)
    return found.length
  })
  deps.metrics.expired.inc(expired)
  return expired
}
