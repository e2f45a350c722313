// Defines the audit port: what happened, and which actor did it.

import type { CanonicalValue } from '../../platform/canonical-json.ts'

export const AUDIT_ACTIONS = [
  'tenant.created',
  'tenant.updated',
  'tenant.moved',
  'tenant.moved_away',
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
  'verifications.lapsed',
  'device.created',
  'device.changed',
  'device.code_renewed',
  'device.enrolled',
  'device.revoked',
  'device.display_connected',
  'device.display_disconnected',
  'device.pin_set',
  'device.pin_removed',
  'link.created',
  'link.revoked',
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

/** The kinds of audit actions: the part of each name before the dot. */
export const AUDIT_KINDS: readonly string[] = [
  ...new Set(AUDIT_ACTIONS.map((action) => action.split('.')[0] ?? action)),
]

export const ACTOR_TYPES = ['api_key', 'device', 'user', 'oidc_client', 'operator', 'wallet', 'system'] as const

export interface AuditActor {
  readonly type: (typeof ACTOR_TYPES)[number]
  /** Opaque id; 'cli', 'retention' and the like for actors without a row. */
  readonly id: string
}

/** What a use case records. `details` may be erased later; the rest stays. */
export interface AuditEvent {
  readonly action: AuditAction
  readonly actor: AuditActor
  readonly object: { readonly type: string; readonly id: string }
  /** SHA-256, hex, of the registration certificate that the request was made under: a public document. */
  readonly registration?: string
  readonly details?: { readonly [member: string]: CanonicalValue | undefined }
  /** The partition that stores the details. Absent: the details are deleted one by one. */
  readonly day?: number
}
