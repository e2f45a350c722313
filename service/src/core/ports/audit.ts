// Defines the audit port: what happened, and which actor did it.

import type { CanonicalValue } from '../../platform/canonical-json.ts'

/**
 * A backup from before an action restores what the action took away. `repeated`: `vidimus restore check` takes it away
 * again. `by_hand`: the entry does not say enough, so the command names it to the operator. `nothing`: nothing was taken
 * away.
 */
type AfterRestore = 'repeated' | 'by_hand' | 'nothing'

export const AFTER_RESTORE = {
  'tenant.created': 'nothing',
  'tenant.updated': 'by_hand',
  'tenant.moved': 'nothing',
  'tenant.moved_away': 'repeated',
  'key.created': 'nothing',
  'key.revoked': 'repeated',
  'key.rolled': 'repeated',
  'verification.created': 'nothing',
  'verification.completed': 'nothing',
  'verification.failed': 'nothing',
  'verification.cancelled': 'repeated',
  'verification.erased': 'repeated',
  'verification.forgotten': 'repeated',
  'verifications.exported': 'nothing',
  'verifications.lapsed': 'repeated',
  'device.created': 'nothing',
  'device.changed': 'repeated',
  'device.code_renewed': 'repeated',
  'device.enrolled': 'repeated',
  'device.revoked': 'repeated',
  'device.display_connected': 'repeated',
  'device.display_disconnected': 'repeated',
  'device.pin_set': 'by_hand',
  'device.pin_removed': 'nothing',
  'link.created': 'nothing',
  'link.revoked': 'repeated',
  'template.saved': 'by_hand',
  'template.removed': 'repeated',
  'transaction_type.saved': 'by_hand',
  'transaction_type.removed': 'repeated',
  'webhook_secret.created': 'nothing',
  'webhook_secret.shown': 'nothing',
  'webhook_secret.rotated': 'repeated',
  'webhook_secret.old_ended': 'repeated',
  'endpoint.saved': 'by_hand',
  'endpoint.removed': 'repeated',
  'endpoint.tested': 'nothing',
  'anchor.added': 'nothing',
  'anchor.removed': 'repeated',
  'trust_list.imported': 'nothing',
  'trust_list.changed': 'by_hand',
  'trust_list.removed': 'repeated',
  'certificate.requested': 'nothing',
  'certificate.installed': 'nothing',
  'certificate.withdrawn': 'repeated',
  'registration.added': 'nothing',
  'registration.removed': 'repeated',
  'identity.changed': 'by_hand',
  'mandate.recorded': 'nothing',
  'request.made': 'nothing',
  'request.done': 'nothing',
  'request.declined': 'nothing',
  'origin.added': 'nothing',
  'origin.proven': 'nothing',
  'origin.unproven': 'repeated',
  'origin.removed': 'repeated',
  'result_key.added': 'nothing',
  'result_key.proven': 'by_hand',
  'result_key.removed': 'repeated',
  'evidence.changed': 'by_hand',
  'evidence.delivered': 'repeated',
  'client.created': 'nothing',
  'client.changed': 'by_hand',
  'client.secret_rotated': 'by_hand',
  'client.removed': 'repeated',
  'delivery.resent': 'nothing',
  'deliveries.resent': 'nothing',
  'destination.failing': 'nothing',
  'destination.disabled': 'nothing',
  'destination.enabled': 'nothing',
  'destination.forgotten': 'nothing',
  'user.invited': 'repeated',
  'user.invitation_withdrawn': 'repeated',
  'user.joined': 'repeated',
  'user.role_changed': 'repeated',
  'user.removed': 'repeated',
  'user.forgotten': 'repeated',
  'user.signed_in': 'nothing',
  'user.sign_in_failed': 'nothing',
  'user.sign_ins_replaced': 'repeated',
  'user.password_changed': 'repeated',
  'user.passkey_added': 'nothing',
  'user.passkey_removed': 'by_hand',
  'settings.changed': 'by_hand',
  'branding.changed': 'nothing',
  'usage_alerts.changed': 'nothing',
  'usage.threshold_reached': 'nothing',
  'audit.adopted': 'nothing',
} as const satisfies Record<string, AfterRestore>
export type AuditAction = keyof typeof AFTER_RESTORE
export type ActionThatIs<After extends AfterRestore> = {
  [Action in AuditAction]: (typeof AFTER_RESTORE)[Action] extends After ? Action : never
}[AuditAction]

export const AUDIT_ACTIONS = Object.keys(AFTER_RESTORE) as AuditAction[]

/** The kinds of audit actions: the part of each name before the dot. */
export const AUDIT_KINDS: readonly string[] = [...new Set(AUDIT_ACTIONS.map((name) => name.split('.')[0] ?? name))]

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
