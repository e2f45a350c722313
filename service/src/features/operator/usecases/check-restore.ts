// Checks a restored store: repeats the erasures and revocations of exports, and lists what no export covers.

import { listAllTenants } from '../../../core/tenants/store/tenants.ts'
import type { Deps } from '../../../deps.ts'
import { ENVIRONMENTS, instantOf } from '../../../platform/world.ts'
import { deleteSessionsAcrossTenants } from '../../staff/index.ts'
import { askWitnesses, loadLogInStore, markChecked, readSeenLog } from '../../transparency/index.ts'
import { findArrivingAcrossTenants } from '../store/closings.ts'
import { closeMovedAway } from './moving/moved-away.ts'
import { isVerified } from './moving/whereabouts.ts'
import { unpairDevices } from './repeated-actions.ts'
import { type Replay, replayErasures } from './replay-erasures.ts'

interface RestoreCheck {
  /** How many things are left for a person to decide. */
  readonly left: number
  /** Whether the store may serve. */
  readonly isChecked: boolean
  readonly replays: readonly { readonly name: string; readonly replay: Replay }[]
  /** Realms without an export. Their erased content may be back. */
  readonly uncovered: readonly string[]
}

interface RestoreQuestion {
  readonly exports: readonly NamedExport[]
  /** Lets the store serve although something is left. */
  readonly acceptsRest: boolean
}

interface NamedExport {
  readonly name: string
  readonly lines: () => AsyncIterable<string>
}

export async function checkRestore(deps: Deps, { exports, acceptsRest }: RestoreQuestion): Promise<RestoreCheck> {
  // Comes first, because a later check could no longer notice that the store was restored.
  await askWitnesses(deps)
  // The trail does not record who signed out.
  await deleteSessionsAcrossTenants(deps.db)
  const replays: { name: string; replay: Replay }[] = []
  const covered = new Set<string>()
  for (const { name, lines } of exports) {
    const replay = await replayErasures(deps, lines)
    if (replay.outcome === 'replayed') covered.add(`${replay.realm.tenantId} ${replay.realm.environment}`)
    replays.push({ name, replay })
  }
  // A trail that lost nothing is of a restored store, too: no trail says which tokens were refreshed.
  const lost = replays.flatMap(({ replay }) => (replay.outcome === 'replayed' ? (replay.lostAt ?? []) : []))
  const [newest = null] = lost.toSorted().reverse()
  for (const one of replays) {
    const { replay } = one
    if (newest === null || replay.outcome !== 'replayed' || replay.lostAt !== null) continue
    one.replay = { ...replay, unpaired: replay.unpaired + (await unpairDevices(deps, replay.realm, newest)) }
  }
  // Comes last, because nothing can be erased in a closed tenant.
  for (const { replay } of replays)
    if (replay.outcome === 'replayed' && replay.movedTo !== null)
      await closeMovedAway(deps, replay.realm.tenantId, replay.movedTo)
  const copies = new Set<string>()
  // A verified copy needs an export, because a job may open it.
  for (const { id } of await findArrivingAcrossTenants(deps.db)) if (!(await isVerified(deps, id))) copies.add(id)
  const served = (await listAllTenants(deps.db)).filter(({ id }) => !copies.has(id))
  const realms = served.flatMap(({ id }) => ENVIRONMENTS.map((one) => `${id} ${one}`))
  const uncovered = realms.filter((realm) => !covered.has(realm))
  const open = replays.filter(({ replay }) => replay.outcome === 'refused' || replay.byHand.length > 0)
  const left = open.length + uncovered.length
  const isChecked = left === 0 || acceptsRest
  if (isChecked) await markChecked(deps.db, { at: instantOf(deps.clock.now()), ...(await readKnown(deps)) })
  return { replays, uncovered, left, isChecked }
}

/** The log that a service of this data directory has seen; zeros if none is known, or if it was of another store. */
async function readKnown({ db, config }: Pick<Deps, 'db' | 'config'>) {
  const seen = await readSeenLog(config.dataDir)
  const isOwn = seen !== null && seen.storeId === (await loadLogInStore(db)).storeId
  return isOwn ? { from: seen.size, haltedRuns: seen.haltedRuns } : { from: 0, haltedRuns: 0 }
}
