// A backup was restored: everything that the exports say was erased or revoked since is so again, and whatever no export speaks for
// is named. A tenant without an export may have anything back. Until nothing is left, or an operator accepts what is, a store that
// was set back does not serve.

import { listAllTenants } from '../../../core/tenants/store/tenants.ts'
import type { Deps } from '../../../deps.ts'
import { ENVIRONMENTS, instantOf } from '../../../platform/world.ts'
import { askWitnesses, loadLogInStore, markChecked, readSeenLog, type WitnessNeeds } from '../../transparency/index.ts'
import { type Replay, replayErasures } from './replay-erasures.ts'

export interface RestoreCheck {
  /** How much is left that a person must decide. */
  readonly left: number
  /** The store may serve. */
  readonly isChecked: boolean
  readonly replays: readonly { readonly name: string; readonly replay: Replay }[]
  /** Tenant and environment that no export was given of. */
  readonly uncovered: readonly string[]
}

export interface RestoreQuestion {
  readonly exports: readonly NamedExport[]
  /** The store may serve although something is left. */
  readonly acceptsRest: boolean
}

export interface NamedExport {
  readonly name: string
  readonly lines: () => AsyncIterable<string>
}

export async function checkRestore(
  deps: Parameters<typeof replayErasures>[0] & WitnessNeeds,
  { exports, acceptsRest }: RestoreQuestion,
): Promise<RestoreCheck> {
  // What is known to have been there is learned first: so nobody finds out later that the store was set back further.
  await askWitnesses(deps)
  const replays = []
  const covered = new Set<string>()
  for (const { name, lines } of exports) {
    const replay = await replayErasures(deps, lines)
    if (replay.outcome === 'replayed') covered.add(`${replay.realm.tenantId} ${replay.realm.environment}`)
    replays.push({ name, replay })
  }
  const realms = (await listAllTenants(deps.db)).flatMap(({ id }) => ENVIRONMENTS.map((one) => `${id} ${one}`))
  const uncovered = realms.filter((realm) => !covered.has(realm))
  const open = replays.filter(({ replay }) => replay.outcome === 'refused' || replay.byHand.length > 0)
  const left = open.length + uncovered.length
  const isChecked = left === 0 || acceptsRest
  if (isChecked) await markChecked(deps.db, { at: instantOf(deps.clock.now()), from: await sizeSeen(deps) })
  return { replays, uncovered, left, isChecked }
}

/** By a service of this data directory; 0: none is known, or it was of another store. */
async function sizeSeen({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<number> {
  const seen = await readSeenLog(config.dataDir)
  return seen?.storeId === (await loadLogInStore(db)).storeId ? seen.size : 0
}
