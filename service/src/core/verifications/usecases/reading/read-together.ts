// Batches concurrent reads: while a lane's statement runs, new reads collect for the next one. Each statement starts
// after its callers asked, so no caller gets stale data.

import type { Deps } from '../../../../deps.ts'
import type { Work } from '../../../../platform/batch.ts'
import { type Realm, realmName } from '../../../tenants/domain/realm.ts'
import { type FoundAsked, loadAskedAcrossTenants } from '../../store/asked.ts'
import type { StoredVerification, WalletVerification } from '../../store/columns.ts'
import { loadVerifications } from '../../store/verifications.ts'

interface Wanted {
  readonly id: string
  /** Only what that device created; null for all of the realm. */
  readonly deviceId: string | null
}

type Needs = Pick<Deps, 'db' | 'batcher'>

const ASKED: Work<Needs, string, FoundAsked | null> = {
  itemsMax: 64,
  run: async ({ db }, ids) => inOrder(ids, await loadAskedAcrossTenants(db, ids)),
}

const OWN: Work<Needs, Wanted & { readonly realm: Realm }, StoredVerification | null> = {
  itemsMax: 64,
  async run({ db }, items) {
    // A lane has one realm and one visibility.
    const [first] = items
    if (first === undefined) return []
    const ids = items.map(({ id }) => id)
    return inOrder(ids, await loadVerifications(db, first.realm, { ids, deviceId: first.deviceId }))
  },
}

/** What the wallet routes need, by the id alone, which is the capability; null if there is none. */
export async function readAsked(deps: Needs, id: string): Promise<WalletVerification | null> {
  const found = await deps.batcher.add(ASKED, deps, { lane: laneOf(id), item: id })
  // Each caller parses its own row, so that an unreadable row fails no other caller.
  return found === null ? null : found.read()
}

/**
 * What its tenant may see; null if there is none in this realm, or if it belongs to another device than the given one.
 */
export function readStored(deps: Needs, realm: Realm, wanted: Wanted): Promise<StoredVerification | null> {
  const lane = `${realmName(realm)} ${wanted.deviceId ?? ''}`
  return deps.batcher.add(OWN, deps, { lane, item: { realm, ...wanted } })
}

/** Two batcher, so that one slow statement does not delay every wallet. */
function laneOf(id: string): string {
  return id.charCodeAt(id.length - 1) % 2 === 0 ? 'even' : 'odd'
}

function inOrder<Found extends { readonly id: string }>(
  ids: readonly string[],
  found: readonly Found[],
): (Found | null)[] {
  const byId = new Map(found.map((one) => [one.id, one]))
  return ids.map((id) => byId.get(id) ?? null)
}
