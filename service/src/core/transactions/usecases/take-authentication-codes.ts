// Records the one-time code of a strong authentication, before the verification ends.

import { createHash } from 'node:crypto'
import type { Confirmation } from '@vidimus/engine'
import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { type Realm, realmName } from '../../tenants/domain/realm.ts'
import { forgetCodesAcrossTenants, takeCode } from '../store/codes.ts'

/**
 * False if a code was used before, or twice in this answer. A separate statement: if the ending cannot be written, a
 * retry with the same answer finds its own code.
 */
export async function takeAuthenticationCodes(
  deps: Pick<Deps, 'db' | 'clock'>,
  verification: Realm & { readonly id: string },
  confirmations: readonly Confirmation[],
): Promise<boolean> {
  // Items that are signed with one proof share its object, and so its code. Two proofs have different codes.
  const proofs = new Set(confirmations.flatMap(({ authentication }) => authentication ?? []))
  const codes = new Set([...proofs].map(({ code }) => code))
  if (codes.size < proofs.size) return false
  const now = instantOf(deps.clock.now())
  for (const code of codes) {
    const digest = createHash('sha256')
      .update(`${realmName(verification)}\n${code}`, 'utf8')
      .digest()
    if (!(await takeCode(deps.db, verification, { digest, verificationId: verification.id, now }))) return false
  }
  return true
}

/** Thirteen months: a payment can be disputed for that long (PSD2 Art. 71). */
const KEPT_MS = 396 * 86_400_000
/** Small, so that no statement locks many rows for long. */
const BATCH = 1_000

export async function forgetAuthenticationCodes(deps: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  const before = instantOf(deps.clock.now() - KEPT_MS)
  let gone: number
  do {
    gone = await forgetCodesAcrossTenants(deps.db, before, BATCH)
  } while (gone === BATCH)
}
