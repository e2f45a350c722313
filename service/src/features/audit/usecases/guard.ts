// Finds unguarded chains: no MAC on the head, or no checkpoint although there should be one.

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
/** A tenant of this age should be in the log if no completed run is recorded. */
const OVERDUE_MS = 2 * 86_400_000

export const dueSince = (deps: Pick<Deps, 'clock'>): Instant => instantOf(deps.clock.now() - OVERDUE_MS)

/** Counts chains without a checkpoint that they should have, and chains without a MAC; for metrics and `doctor`. */
export const countUnguarded = (deps: Pick<Deps, 'db' | 'clock'>) => countUnguardedAcrossTenants(deps.db, dueSince(deps))

/** Lists the chains that `countUnguarded` counts, for an operator who adopts them. */
export const listUnguarded = (deps: Pick<Deps, 'db' | 'clock'>): Promise<Realm[]> =>
  listUnguardedAcrossTenants(deps.db, dueSince(deps))

/** Counts chains whose head has a wrong MAC: it was forged, or computed with another key. */
export async function countForgedTrails(deps: Pick<Deps, 'db' | 'clock' | 'audit'>): Promise<number> {
  let forged = 0
  for await (const { head, ...realm } of listChains(deps, 0)) {
    if (head !== null && head.mac !== null && !deps.audit.macs.holds(realm, head)) forged += 1
  }
  return forged
}

/** Every chain, with its newest head in a log of `size` leaves. */
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
