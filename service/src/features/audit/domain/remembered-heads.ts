// The chain heads that this process wrote last, so that it can prepare a batch before it locks the chain.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { HeadWithMac } from './head-macs.ts'

/** The statement that writes a batch compares the heads with the store. A wrong head costs time, but forks no chain. */
export interface RememberedHeads {
  /** null if the head is unknown, or if other processes append to this chain, too. */
  recall(realm: Realm): HeadWithMac | null
  /** Compares the remembered head with the locked one, and counts whether it was right. */
  compare(realm: Realm, found: HeadWithMac): void
  /** Called after the commit. */
  remember(realm: Realm, written: HeadWithMac): void
  forget(realm: Realm): void
}

/**
 * How often in a row a remembered head must have been right before it is used. Where two processes append, it is mostly
 * wrong.
 */
const RIGHT_MIN = 2
/** When more chains are known, the one that was written longest ago is forgotten. */
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
