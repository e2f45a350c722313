// The entries of an audit chain. Each contains the hash of the previous entry, and no personal data.

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

/** Creates the entry after `head`, with a later time. The hash is over the stored bytes, which are canonical JSON. */
export function nextEntry(
  realm: Realm,
  head: AuditHead,
  entry: { readonly event: AuditEvent; readonly now: Instant; readonly commitment: string | null },
): AuditEntry {
  const { event } = entry
  const at = instantAfter(head.at, entry.now)
  // Members in canonical order, which saves sorting.
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

/**
 * The chain contains only this commitment, so it stays whole when details are erased. Their salt is erased with them,
 * so that the details cannot be guessed from the commitment.
 */
export function commitmentTo(details: NonNullable<AuditEvent['details']>, salt: Uint8Array): string {
  return createHmac('sha256', salt)
    .update(`${COMMITMENT_LABEL}\0${canonicalJson(details)}`, 'utf8')
    .digest('hex')
}

function sha256(label: string, bytes: Uint8Array): Buffer {
  return createHash('sha256').update(label, 'utf8').update(bytes).digest()
}
