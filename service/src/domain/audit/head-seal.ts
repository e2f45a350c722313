// The seal of a chain's head: a MAC under a key that is not in the database. Whoever has only the database can put an older
// head back, with what stood under it; a head of their own making has no seal, and no entry that follows gives it one.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Sealer } from '../seal/seal.ts'
import type { Realm } from '../tenant/realm.ts'
import { type AuditHead, genesisHash } from './entry.ts'

export interface SealedHead extends AuditHead {
  /** null: from before seals, or behind a head whose seal did not hold. */
  readonly mac: Uint8Array | null
}

export interface HeadSeal {
  /** Of a chain without entries nothing could be forged: it needs no seal. */
  holds(realm: Realm, head: SealedHead): boolean
  /** The seal of the head that follows; null where the one before does not hold. */
  follow(realm: Realm, before: SealedHead, next: AuditHead): Buffer | null
  /** Whatever stood before: for an operator's adoption alone. */
  make(realm: Realm, head: AuditHead): Buffer
}

/** The first key seals, every one of them opens. Derived from the master key: nothing is stored. */
export const headKeys = (sealer: Pick<Sealer, 'derive'>): readonly [Buffer, ...Buffer[]] => [
  sealer.derive('audit-head-v1', 32),
]

export function createHeadSeal(keys: readonly [Uint8Array, ...Uint8Array[]]): HeadSeal {
  const make = (realm: Realm, head: AuditHead) => macOf(keys[0], realm, head)
  const holds = (realm: Realm, head: SealedHead) => {
    const { mac } = head
    if (head.seq === 0) return genesisHash(realm).equals(head.hash)
    return mac !== null && mac.length === MAC_BYTES && keys.some((key) => timingSafeEqual(macOf(key, realm, head), mac))
  }
  return {
    holds,
    make,
    follow: (realm, before, next) => (holds(realm, before) ? make(realm, next) : null),
  }
}

const MAC_BYTES = 32

function macOf(key: Uint8Array, realm: Realm, head: AuditHead): Buffer {
  const hash = Buffer.from(head.hash).toString('hex')
  const said = ['vidimus-audit-head-v1', realm.tenantId, realm.environment, String(head.seq), hash, head.at]
  return createHmac('sha256', key).update(said.join('\0')).digest()
}
