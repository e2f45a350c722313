// The ends of the chains that this process wrote last, so that the next batch can be prepared before the chain is locked.
// The statement that writes the batch compares them with the store: a wrong memory costs time, and never forks a chain.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { HeadWithMac } from './head-macs.ts'

export interface RememberedHeads {
  /** null: unknown, or other writers append to this chain, too. */
  recall(realm: Realm): HeadWithMac | null
  /** The head under a lock: says whether the memory would have been right. */
  compare(realm: Realm, found: HeadWithMac): void
  /** After the commit. */
  remember(realm: Realm, written: HeadWithMac): void
  forget(realm: Realm): void
}

/** So often in a row must a memory have been right before it is used: where two processes take turns, it mostly is not. */
const RIGHT_MIN = 2
/** The one that was written longest ago makes room. */
const CHAINS_MAX = 10_000

export function createRememberedHeads(): RememberedHeads {
  const known = new Map<string, { readonly head: HeadWithMac; readonly right: number }>()
  const keep = (realm: Realm, head: HeadWithMac, right: number) => {
    const name = realmName(realm)
    known.delete(name)
    known.set(name, { head, right })
    const [oldest] = known.size > CHAINS_MAX ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
  }
  return {
    recall(realm) {
      const one = known.get(realmName(realm))
      return one === undefined || one.right < RIGHT_MIN ? null : one.head
    },
    compare(realm, found) {
      const before = known.get(realmName(realm))
      keep(realm, found, before !== undefined && isSame(before.head, found) ? before.right + 1 : 0)
    },
    remember: (realm, head) => keep(realm, head, known.get(realmName(realm))?.right ?? 0),
    forget: (realm) => void known.delete(realmName(realm)),
  }
}

const isSame = (a: HeadWithMac, b: HeadWithMac) =>
  a.seq === b.seq && a.at === b.at && equal(a.hash, b.hash) && (a.mac === b.mac || equal(a.mac, b.mac))

const equal = (a: Uint8Array | null, b: Uint8Array | null) => a !== null && b !== null && Buffer.from(a).equals(b)
