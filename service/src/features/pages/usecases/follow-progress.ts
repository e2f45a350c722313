// Reads the progress of a verification for the holder: once, or as a stream of changes.

import { OPEN_STEPS, type Step, stepAt } from '../../../core/verifications/domain/progress.ts'
import { type FoundProgress, loadProgressAcrossTenants } from '../../../core/verifications/store/progress.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { BatchJob } from '../../../platform/event-loop/batch.ts'
import { isVerificationId } from '../../../platform/ids.ts'

type Needs = Pick<Deps, 'db' | 'batcher' | 'clock'>

/** Concurrent requests share one statement. */
const PROGRESS: BatchJob<Pick<Deps, 'db'>, string, FoundProgress | null> = {
  itemsMax: 64,
  async run({ db }, ids) {
    const found = new Map((await loadProgressAcrossTenants(db, ids)).map((one) => [one.id, one]))
    return ids.map((id) => found.get(id) ?? null)
  },
}

export async function readProgress(deps: Needs, id: string): Promise<FoundProgress> {
  const found = isVerificationId(id) ? await deps.batcher.add(PROGRESS, deps, { lane: 'all', item: id }) : null
  if (found === null) throw new Refusal('session_not_found')
  return found
}

export async function readStep(deps: Needs, id: string): Promise<Step> {
  return stepAt(await readProgress(deps, id), deps.clock.now())
}

/** Returns a function that stops following. Ended and unknown verifications are not followed. */
export async function followProgress(
  deps: Needs & Pick<Deps, 'progress'>,
  id: string,
  onStep: (step: Step, isLast: boolean) => void,
): Promise<() => void> {
  await readStep(deps, id)
  return deps.progress.watch(id, (step) => onStep(step, !OPEN_STEPS.has(step)))
}
