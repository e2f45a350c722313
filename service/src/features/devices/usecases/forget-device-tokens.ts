// Deletes token pairs 30 days after their refresh token expired. Until then, reuse of a refresh token reveals a theft.

import type { Deps } from '../../../deps.ts'
import { instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { deleteTokenPairsExpiredBefore } from '../store/tokens.ts'

const KEEP_MS = 30 * 86_400_000
/** Small, so that no statement locks many rows for long. */
const BATCH = 1_000

export async function forgetDeviceTokens(
  deps: Pick<Deps, 'db' | 'clock'>,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  const before = instantOf(deps.clock.now() - KEEP_MS)
  let deleted: number
  do {
    stopped.throwIfAborted()
    deleted = await deleteTokenPairsExpiredBefore(deps.db, before, BATCH)
  } while (deleted === BATCH)
}
