// The entries of an audit chain, one chain per tenant and environment; each entry holds the hash of the previous one
// and no personal data. A merchant's own texts (a purpose, a device's name) are stored outside the chain under a salted
// commitment, so that erasing them leaves the chain whole and the commitment reveals nothing.

import { createHash, createHmac } from 'node:crypto'
import type { AuditEvent } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { canonicalJson } from '../../../platform/canonical-json.ts'
import { type Instant, instantAfter } from '../../../platform/world.ts'

export interface AuditHead {
  readonly seq: number
  readonly hash: Uint8Array
  readonly at: Instant
}

export interface AuditEntry extends AuditHead {
  readonly bytes: Buffer
  readonly hash: Buffer
}

const COMMITMENT_LABEL = 'vidimus-audit-details-v1'

export function genesisHash(realm: Realm): Buffer {
  return sha256('vidimus-audit-genesis-v1\0', Buffer.from(`${realm.tenantId}\0${realm.environment}`, 'utf8'))
}

/**
 * The entry that follows `head`; its time is later than the head's, whatever the clocks say. The stored bytes are what
 * is hashed; they are canonical, so anyone can reproduce them.
 */
export function nextEntry(
  realm: Realm,
  head: AuditHead,
  entry: { readonly event: AuditEvent; readonly now: Instant; readonly commitment: string | null },
): AuditEntry {
  const { event } = entry
  const at = instantAfter(head.at, entry.now)
  // In canonical order already, which saves sorting.
  const text = canonicalJson({
    action: event.action,
    actor: { id: event.actor.id, type: event.actor.type },
    at,
    details: entry.commitment,
    environment: realm.environment,
    object: { id: event.object.id, type: event.object.type },
    prev: Buffer.from(head.hash).toString('hex'),
    registration: event.registration,
    seq: head.seq + 1,
    tenant: realm.tenantId,
    v: 1,
  })
  const bytes = Buffer.from(text, 'utf8')
  return { seq: head.seq + 1, at, bytes, hash: entryHash(bytes) }
}

export const entryHash = (bytes: Uint8Array): Buffer => sha256('vidimus-audit-entry-v1\0', bytes)

/** HMAC under a random salt that is erased with the details: without it, yes/no details cannot be guessed back. */
export function commitmentTo(details: NonNullable<AuditEvent['details']>, salt: Uint8Array): string {
  return createHmac('sha256', salt)
    .update(`${COMMITMENT_LABEL}\0${canonicalJson(details)}`, 'utf8')
    .digest('hex')
}

function sha256(label: string, bytes: Uint8Array): Buffer {
  return createHash('sha256').update(label, 'utf8').update(bytes).digest()
}
