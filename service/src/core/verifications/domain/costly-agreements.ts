// Caches one key agreement on a large curve per verification.

import type { CostlyWork } from '@vidimus/engine'
import { type Instant, millisecondsOf } from '../../../platform/world.ts'

/** How many agreements are cached. Beyond this, wallets get their request as if the curve were unknown. */
const KEPT_MAX = 10_000

export interface CostlyAgreements {
  /** Returns the costly work for this verification. Its agreement is cached until the verification expires. */
  of(verification: { readonly id: string; readonly expiresAt: Instant }): CostlyWork
}

interface Kept {
  readonly thumbprint: string
  readonly agreed: ReturnType<CostlyWork>
  readonly untilMs: number
}

/** Strangers with the link choose the key, and each agreement costs more than the rest of a fetch. */
export function createCostlyAgreements(now: () => number, keptMax = KEPT_MAX): CostlyAgreements {
  const kept = new Map<string, Kept>()
  const makeRoom = () => {
    for (const [id, { untilMs }] of kept) if (untilMs <= now()) kept.delete(id)
    return kept.size < keptMax
  }
  return {
    of:
      ({ id, expiresAt }) =>
      (thumbprint, agree) => {
        const known = kept.get(id)
        if (known !== undefined) return known.thumbprint === thumbprint ? known.agreed : null
        if (kept.size >= keptMax && !makeRoom()) return null
        // An invalid key is cached too, because checking it takes work.
        const agreed = agree()
        kept.set(id, { thumbprint, agreed, untilMs: millisecondsOf(expiresAt) })
        return agreed
      },
  }
}
