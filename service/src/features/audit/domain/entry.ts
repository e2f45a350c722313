// The audit chain: what an entry says, and how each entry holds the hash of the one before it. One chain per tenant and environment.
// Nothing personal is in an entry. Details that a merchant wrote (a purpose, a device's name) stand beside the chain under a
// salted commitment, so that erasing them leaves the chain whole and the commitment says nothing of them.

import { createHash, createHmac } from 'node:crypto'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { type CanonicalValue, canonicalJson } from '../../../platform/canonical-json.ts'
import { type Instant, instantAfter } from '../../../platform/world.ts'

export const AUDIT_ACTIONS = [
  'tenant.created',
  'tenant.updated',
  'key.created',
  'key.revoked',
  'key.rolled',
  'verification.created',
  'verification.completed',
  'verification.failed',
  'verification.cancelled',
  'verification.erased',
  'verification.forgotten',
  'verifications.exported',
  'device.created',
  'device.enrolled',
  'device.revoked',
  'device.display_connected',
  'device.display_disconnected',
  'device.pin_set',
  'device.pin_removed',
  'template.saved',
  'template.removed',
  'transaction_type.saved',
  'transaction_type.removed',
  'webhook_secret.created',
  'webhook_secret.shown',
  'webhook_secret.rotated',
  'webhook_secret.old_ended',
  'endpoint.saved',
  'endpoint.removed',
  'endpoint.tested',
  'anchor.added',
  'anchor.removed',
  'trust_list.imported',
  'trust_list.changed',
  'trust_list.removed',
  'certificate.requested',
  'certificate.installed',
  'certificate.withdrawn',
  'registration.added',
  'registration.removed',
  'identity.changed',
  'mandate.recorded',
  'request.made',
  'request.done',
  'request.declined',
  'origin.added',
  'origin.proven',
  'origin.unproven',
  'origin.removed',
  'result_key.added',
  'result_key.proven',
  'result_key.removed',
  'evidence.changed',
  'evidence.delivered',
  'client.created',
  'client.changed',
  'client.secret_rotated',
  'client.removed',
  'delivery.resent',
  'deliveries.resent',
  'destination.failing',
  'destination.disabled',
  'destination.enabled',
  'destination.forgotten',
  'user.invited',
  'user.invitation_withdrawn',
  'user.joined',
  'user.role_changed',
  'user.removed',
  'user.signed_in',
  'user.sign_in_failed',
  'user.sign_ins_replaced',
  'user.password_changed',
  'user.passkey_added',
  'user.passkey_removed',
  'settings.changed',
  'branding.changed',
  'usage_alerts.changed',
  'usage.threshold_reached',
  'audit.adopted',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** What actions are about: the part of each before its full stop. */
export const AUDIT_KINDS: readonly string[] = [
  ...new Set(AUDIT_ACTIONS.map((action) => action.split('.')[0] ?? action)),
]

export const ACTOR_TYPES = ['api_key', 'device', 'user', 'oidc_client', 'operator', 'wallet', 'system'] as const

export interface AuditActor {
  readonly type: (typeof ACTOR_TYPES)[number]
  /** Opaque id; 'cli', 'retention' and the like for actors without a row. */
  readonly id: string
}

/** What a use case wants recorded. `details` may be erased later; the rest stays. */
export interface AuditEvent {
  readonly action: AuditAction
  readonly actor: AuditActor
  readonly object: { readonly type: string; readonly id: string }
  /** SHA-256, hex, of the registration certificate that somebody was asked under: a public document. */
  readonly registration?: string
  readonly details?: { readonly [member: string]: CanonicalValue | undefined }
}

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

/** The entry that follows `head`; its time is later than the head's, whatever the clocks say. The stored bytes are what is hashed; they are canonical so that anyone can make them again. */
export function nextEntry(
  realm: Realm,
  head: AuditHead,
  entry: { readonly event: AuditEvent; readonly now: Instant; readonly commitment: string | null },
): AuditEntry {
  const { event } = entry
  const at = instantAfter(head.at, entry.now)
  const text = canonicalJson({
    v: 1,
    tenant: realm.tenantId,
    environment: realm.environment,
    seq: head.seq + 1,
    at,
    action: event.action,
    actor: { type: event.actor.type, id: event.actor.id },
    object: { type: event.object.type, id: event.object.id },
    details: entry.commitment,
    ...(event.registration === undefined ? {} : { registration: event.registration }),
    prev: Buffer.from(head.hash).toString('hex'),
  })
  const bytes = Buffer.from(text, 'utf8')
  return { seq: head.seq + 1, at, bytes, hash: entryHash(bytes) }
}

export const entryHash = (bytes: Uint8Array): Buffer => sha256('vidimus-audit-entry-v1\0', bytes)

/** HMAC under a random salt that is erased together with the details: without it, yes/no details cannot be guessed back. */
export function commitmentTo(details: NonNullable<AuditEvent['details']>, salt: Uint8Array): string {
  return createHmac('sha256', salt)
    .update(`${COMMITMENT_LABEL}\0${canonicalJson(details)}`, 'utf8')
    .digest('hex')
}

function sha256(label: string, bytes: Uint8Array): Buffer {
  return createHash('sha256').update(label, 'utf8').update(bytes).digest()
}
