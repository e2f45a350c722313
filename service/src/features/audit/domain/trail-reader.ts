// Finds the heads of one audit chain among all leaves of a log, with the tenant's blinding key.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { createMarkerFinder, type EpochNumbers, headKeyOf, headRow, type MarkerFinder } from './blinded-heads.ts'
import { tenantLeafOf } from './head-leaves.ts'

export interface LoggedEntry {
  readonly seq: number
  readonly index: number
  /** The ordinal of the blinded head; null if it is from before blinding. */
  readonly ordinal: number | null
  /** Whether the logged entry has this hash. */
  readonly covers: (hash: Uint8Array) => boolean
}

export interface TrailQuestion {
  readonly blindingKey: Uint8Array
  readonly realm: Realm
  readonly epochs: EpochNumbers
}

export function createTrailReader(
  { blindingKey, realm, epochs }: TrailQuestion,
  found: (entry: LoggedEntry) => void,
): MarkerFinder {
  const markers = createMarkerFinder([headRow(headKeyOf(blindingKey, realm.environment), found)], epochs)
  return {
    ...markers,
    see(leaf, index) {
      markers.see(leaf, index)
      const old = tenantLeafOf(leaf, blindingKey, realm)
      if (old === null) return
      // Copies the hash: a view would keep the whole tile in memory.
      const own = Buffer.from(old.hash)
      found({ seq: old.seq, index, ordinal: null, covers: (hash) => own.equals(hash) })
    },
  }
}
