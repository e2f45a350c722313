// Finds unprotected chains: without a MAC on their head, or with nothing signed although it should be.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import {
  countUnguardedAcrossTenants,
  findChainsAcrossTenants,
  type ListedChain,
  listUnguardedAcrossTenants,
} from '../store/checkpoints.ts'

const PAGE = 500
/** If no record says when all chains were in the log, a tenant of this age should be in it. */
const OVERDUE_MS = 2 * 86_400_000

export const dueSince = (deps: Pick<Deps, 'clock'>): Instant => instantOf(deps.clock.now() - OVERDUE_MS)

/**
 * Chains that have entries and lack a checkpoint although they should have one, or lack a MAC on their head; for
 * metrics and `doctor`.
 */
export const countUnguarded = (deps: Pick<Deps, 'db' | 'clock'>) => countUnguardedAcrossTenants(deps.db, dueSince(deps))

/** The same, for an operator who adopts them. */
export const listUnguarded = (deps: Pick<Deps, 'db' | 'clock'>): Promise<Realm[]> =>
  listUnguardedAcrossTenants(deps.db, dueSince(deps))

/** Chains whose head has a MAC that is not this service's: forged, or made with another key. */
export async function countForgedTrails(deps: Pick<Deps, 'db' | 'clock' | 'audit'>): Promise<number> {
  let forged = 0
  for await (const { head, ...realm } of listChains(deps, 0)) {
    if (head !== null && head.mac !== null && !deps.audit.macs.holds(realm, head)) forged += 1
  }
  return forged
}

/** Every chain, with what a log of `size` leaves has of it. */
export async function* listChains(deps: Pick<Deps, 'db' | 'clock'>, size: number): AsyncGenerator<ListedChain> {
  let after: ListedChain | null = null
  for (;;) {
    const chains: ListedChain[] = await findChainsAcrossTenants(deps.db, {
      after,
      limit: PAGE,
      dueSince: dueSince(deps),
      size,
    })
    yield* chains
    after = chains.at(-1) ?? null
    if (chains.length < PAGE) return
  }
}
