// MACs of chain heads under a key that is not in the database. An attacker with only the database can put an older head
// back, with the entries below it; a forged head has no MAC, and no later entry gives it one.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { SecretKeys } from '../../../platform/seal/seal.ts'
import type { AuditHead } from './entry.ts'

export interface HeadWithMac extends AuditHead {
  /** null: from before there were any, or after a head whose MAC was not valid. */
  readonly mac: Uint8Array | null
}

export interface HeadMacs {
  /** Also for a chain without an entry: a chain begins with its tenant, so one that begins later was emptied. */
  holds(realm: Realm, head: HeadWithMac): boolean
  /** The MAC of the next head; null if the previous one is not valid. */
  follow(realm: Realm, before: HeadWithMac, next: AuditHead): Buffer | null
  /** Without checking the previous head: for the start of a new tenant's chain, and an operator's adoption. */
  make(realm: Realm, head: AuditHead): Buffer
}

/** First derived from a master key and kept since: it does not change with that key. */
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
