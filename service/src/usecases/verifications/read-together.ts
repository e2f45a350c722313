// Reads that meet are done together: while a lane's statement runs, what arrives gathers and goes with the next one. Each is
// begun after it was asked for, so nobody gets what is older than the question.

import type { Deps } from '../../deps.ts'
import { type Realm, realmName } from '../../domain/tenant/realm.ts'
import {
  type AskedRow,
  type AskedVerification,
  loadAskedAcrossTenants,
  toAsked,
} from '../../store/verifications/asked.ts'
import { loadVerifications, type StoredVerification } from '../../store/verifications/verifications.ts'
import { createCoalescer } from '../coalesce.ts'

export interface Reads {
  /** What the wallet's side needs, by the id alone, which is the capability; null where there is none. */
  asked(id: string): Promise<AskedVerification | null>
  /** What its tenant may see; null where there is none in this realm, or another device's where one is given. */
  verification(realm: Realm, wanted: Wanted): Promise<StoredVerification | null>
}

interface Wanted {
  readonly id: string
  /** Only what that device created; null for all of the realm. */
  readonly deviceId: string | null
}

const BATCH_MAX = 64

export function openReads({ db }: Pick<Deps, 'db'>): Reads {
  const asked = createCoalescer<string, AskedRow | null>(BATCH_MAX, async (ids) =>
    inOrder(ids, await loadAskedAcrossTenants(db, ids)),
  )
  const own = createCoalescer<Wanted & { realm: Realm }, StoredVerification | null>(BATCH_MAX, async (items) => {
    const ids = items.map(({ id }) => id)
    // A lane has one realm and one visibility.
    const [first] = items
    return first === undefined
      ? []
      : inOrder(ids, await loadVerifications(db, first.realm, { ids, deviceId: first.deviceId }))
  })
  return {
    // Read by each caller for itself: a row that cannot be read fails nobody else.
    async asked(id) {
      const row = await asked.add(laneOf(id), id)
      return row === null ? null : toAsked(row)
    },
    verification: (realm, wanted) => own.add(`${realmName(realm)} ${wanted.deviceId ?? ''}`, { realm, ...wanted }),
  }
}

/** Two lanes, so that one slow statement does not hold up every wallet. */
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
