// A chain's head bears a MAC under a key that is not in the database. Whoever has only the database can put an older
// head back, with what stood under it; a head of their own making has none, and no entry that follows gives it one.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { DerivedKeys } from '../../../platform/seal/seal.ts'
import type { AuditHead } from './entry.ts'

export interface HeadWithMac extends AuditHead {
  /** null: from before there were any, or behind a head whose MAC did not hold. */
  readonly mac: Uint8Array | null
}

export interface HeadMacs {
  /** Also where no entry is there yet: a chain begins with its tenant, and one that begins later was emptied. */
  holds(realm: Realm, head: HeadWithMac): boolean
  /** The MAC of the head that follows; null where the one before does not hold. */
  follow(realm: Realm, before: HeadWithMac, next: AuditHead): Buffer | null
  /** Whatever stood before: for the beginning of a new tenant's chain, and an operator's adoption. */
  make(realm: Realm, head: AuditHead): Buffer
}

/** As it was first derived from a master key, and kept since: it does not change with that one. */
export const headKey = (keys: Pick<DerivedKeys, 'derive'>): Buffer => keys.derive(ENTRY_KEY_LABEL, 32)

export const ENTRY_KEY_LABEL = 'audit-head-v1'

export function createHeadMacs(key: Uint8Array): HeadMacs {
  const make = (realm: Realm, head: AuditHead) => macOf(key, realm, head)
  const holds = (realm: Realm, head: HeadWithMac) => {
    const { mac } = head
    return mac !== null && mac.length === MAC_BYTES && timingSafeEqual(macOf(key, realm, head), mac)
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
