// What an earlier release wrote in plain (metadata, redirect and webhook addresses) is sealed, in steps that are whole each. Once
// nothing is left, that is noted under seal, and nothing plain is believed any more.

import type { Deps } from '../../../../deps.ts'
import { instantOf, NEVER_STOPPED } from '../../../../platform/world.ts'
import {
  areParticularsSealed,
  forgetAttemptUrlsAcrossTenants,
  lockPlainParticularsAcrossTenants,
  noteParticularsSealed,
  replacePlainParticulars,
} from '../../store/particulars.ts'

const STEP_ROWS = 200

/** Longer than any upgrade has replicas of two releases beside each other. */
const SETTLED_MS = 86_400_000

type Needs = Pick<Deps, 'db'>

/** The job: what is plain is sealed, and once nothing is left, that is noted. */
export async function endPlainParticulars(
  deps: Needs & Pick<Deps, 'clock'>,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  await sealPlainParticulars(deps, stopped)
  if (await isOver(deps)) return
  const nowMs = deps.clock.now()
  await noteParticularsSealed(deps.db, {
    at: instantOf(nowMs),
    settledBefore: instantOf(nowMs - SETTLED_MS),
  })
}

/** How many verifications were sealed. Ends when nothing is left that nobody else holds. */
export async function sealPlainParticulars(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<number> {
  const total = (await isOver(deps)) ? 0 : await sealAll(deps, stopped)
  while ((await forgetAttemptUrlsAcrossTenants(deps.db, STEP_ROWS)) === STEP_ROWS) stopped.throwIfAborted()
  return total
}

/**
 * From its end on nothing plain is sealed: that would make ours what somebody wrote into the database. Any note counts here, also
 * one that is not ours: it can only keep something from being sealed, and no process starts with it. A process that knows of the
 * end goes on knowing it, whatever becomes of the note.
 */
const isOver = ({ db }: Needs): Promise<boolean> => areParticularsSealed(db)

async function sealAll(deps: Needs, stopped: AbortSignal): Promise<number> {
  let total = 0
  for (;;) {
    stopped.throwIfAborted()
    const count = await deps.db.transaction(async (tx) => {
      const rows = await lockPlainParticularsAcrossTenants(tx, STEP_ROWS)
      await replacePlainParticulars(tx, rows)
      return rows.length
    })
    total += count
    if (count < STEP_ROWS) break
  }
  return total
}
