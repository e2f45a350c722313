// Seals sensitive fields that an earlier release wrote in plain. After that, plain values are not trusted.

import type { Deps } from '../../../../deps.ts'
import { instantOf, NEVER_STOPPED } from '../../../../platform/world.ts'
import {
  areSensitiveFieldsSealed,
  forgetAttemptUrlsAcrossTenants,
  lockPlainSensitiveFieldsAcrossTenants,
  noteSensitiveFieldsSealed,
  replacePlainSensitiveFields,
} from '../../store/sensitive-fields.ts'

const STEP_ROWS = 200

/** Longer than replicas of two releases run side by side in any upgrade. */
const SETTLED_MS = 86_400_000

type Needs = Pick<Deps, 'db'>

/** The job: seals plain values, and once nothing is left, records that. */
export async function endPlainSensitiveFields(
  deps: Needs & Pick<Deps, 'clock'>,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  await sealPlainSensitiveFields(deps, stopped)
  if (await isOver(deps)) return
  const nowMs = deps.clock.now()
  await noteSensitiveFieldsSealed(deps.db, {
    at: instantOf(nowMs),
    settledBefore: instantOf(nowMs - SETTLED_MS),
  })
}

/** Returns how many verifications were sealed. Ends when nothing is left but rows that others have locked. */
export async function sealPlainSensitiveFields(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<number> {
  const total = (await isOver(deps)) ? 0 : await sealAll(deps, stopped)
  while ((await forgetAttemptUrlsAcrossTenants(deps.db, STEP_ROWS)) === STEP_ROWS) stopped.throwIfAborted()
  return total
}

/**
 * After that, plain values are no longer sealed: an attacker may have written them into the database. Any record counts
 * here, even a forged one, because it can only prevent sealing, and no process starts with a forged one. A process that
 * has seen the record remembers it.
 */
const isOver = ({ db }: Needs): Promise<boolean> => areSensitiveFieldsSealed(db)

async function sealAll(deps: Needs, stopped: AbortSignal): Promise<number> {
  let total = 0
  for (;;) {
    stopped.throwIfAborted()
    const count = await deps.db.transaction(async (tx) => {
      const rows = await lockPlainSensitiveFieldsAcrossTenants(tx, STEP_ROWS)
      await replacePlainSensitiveFields(tx, rows)
      return rows.length
    })
    total += count
    if (count < STEP_ROWS) break
  }
  return total
}
