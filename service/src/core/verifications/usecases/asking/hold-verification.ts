// Binds a verification to the first browser that opens its hosted page, if its rule is `first`.

import type { Deps } from '../../../../deps.ts'
import { type Instant, instantOf } from '../../../../platform/world.ts'
import { type BrowserOwnership, ownershipOf } from '../../domain/browser-binding.ts'
import { holdVerification } from '../../store/browser-holds.ts'
import { bindingFacts, findOpen } from './wallet-verification.ts'

/** Returns `free` if the browser sent no cookie, because there is nothing to bind to. */
export async function holdForBrowser(
  deps: Pick<Deps, 'db' | 'batcher' | 'clock' | 'config'>,
  { id, browserHash }: { readonly id: string; readonly browserHash: Buffer | null },
): Promise<{ readonly ownership: BrowserOwnership; readonly expiresAt: Instant }> {
  const verification = await findOpen(deps, id)
  const { expiresAt } = verification
  const ownership = ownershipOf(bindingFacts(deps, verification), browserHash)
  if (ownership !== 'free' || browserHash === null) return { ownership, expiresAt }
  if (await holdVerification(deps.db, verification, { id, browserHash, now: instantOf(deps.clock.now()) }))
    return { ownership: 'here', expiresAt }
  // Another browser, or another tab of this browser, was faster.
  return { ownership: ownershipOf(bindingFacts(deps, await findOpen(deps, id)), browserHash), expiresAt }
}
