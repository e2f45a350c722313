// Seals sensitive fields that an earlier release stored unsealed. After that, unsealed values are not trusted.

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

/** The job: seals plain values. Once none is left, it records that. */
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

/** Returns how many verifications were sealed. Ends when only rows that others have locked are left. */
export async function sealPlainSensitiveFields(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<number> {
  const total = (await isOver(deps)) ? 0 : await sealAll(deps, stopped)
  while ((await forgetAttemptUrlsAcrossTenants(deps.db, STEP_ROWS)) === STEP_ROWS) stopped.throwIfAborted()
  return total
}

/**
 * Once recorded, plain values are no longer sealed, because an attacker may have written them. A forged record also
 * counts: it only prevents sealing, and no process starts with one. Each process remembers a record that it has read.
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
