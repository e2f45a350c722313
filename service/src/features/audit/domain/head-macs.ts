// MACs of chain heads, under a key that is not in the database.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { SecretKeys } from '../../../platform/seal/seal.ts'
import type { AuditHead } from './entry.ts'

export interface HeadWithMac extends AuditHead {
  /** null for a head from before MACs, or after a head without a valid MAC. */
  readonly mac: Uint8Array | null
}

/** An attacker with only the database can restore an old head with its entries, but cannot forge a head. */
export interface HeadMacs {
  /** Whether the MAC is valid. A chain begins with its tenant, so an empty chain without a valid MAC was emptied. */
  holds(realm: Realm, head: HeadWithMac): boolean
  /** The MAC of the next head; null if the previous one is not valid. */
  follow(realm: Realm, before: HeadWithMac, next: AuditHead): Buffer | null
  /** Does not check the previous head. Only for the first head of a new tenant, and for an operator's adoption. */
  make(realm: Realm, head: AuditHead): Buffer
}

/** The key was derived from a master key once and stored. It does not change with that master key. */
export const headKey = (keys: Pick<SecretKeys, 'derive'>): Buffer => keys.derive(ENTRY_KEY_LABEL, 32)

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
  const parts = ['vidimus-audit-head-v1', realm.tenantId, realm.environment, String(head.seq), hash, head.at]
  return createHmac('sha256', key).update(parts.join('\0')).digest()
}
