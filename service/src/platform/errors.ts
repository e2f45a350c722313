// Defines the refusals: the closed set of ways to reject a caller. platform/http/problems.ts maps them to statuses.

import type { ERROR_CODES } from '../../../wire/values/errors.ts'

/** First the codes for merchants and devices, then the codes for wallets and the dashboard. */
export type RefusalCode =
  | Exclude<(typeof ERROR_CODES)[number], 'internal_error'>
  | 'invalid_wallet_response'
  | 'link_not_valid'
  | 'not_signed_in'
  | 'sign_in_failed'
  | 'role_insufficient'
  | 'fresh_sign_in_required'
  | 'cross_site_request'
  | 'link_needs_sign_in'
  | 'oidc_round_lost'
  | 'oidc_declined'
  | 'oidc_not_proven'
  | 'oidc_email_not_verified'
  | 'oidc_not_invited'
  | 'oidc_account_bound'
  | 'oidc_other_person'
  | 'oidc_unavailable'
  | 'not_found'
  | 'method_not_allowed'
  | 'session_mismatch'
  | 'last_owner'
  | 'audit_not_whole'
  | 'api_key_limit_reached'
  | 'template_limit_reached'
  | 'invitation_limit_reached'
  | 'too_many_webhook_secrets'
  | 'too_many_webhook_endpoints'
  | 'session_expired'
  | 'password_not_taken'

interface RefusalOptions {
  /** Written for the caller, without tokens, claims or ids of other tenants. Default: the fixed message of the code. */
  readonly message?: string
  readonly retryAfterSeconds?: number
  /** The allowed methods, for a 405. */
  readonly allow?: readonly string[]
  /** For the operator's log; the caller never gets it. Only fixed text, never a value. */
  readonly reason?: string
  /** With `unavailable`: what was missing, for the operator's metrics. Default: other. */
  readonly missing?: Missing
  /** The address of the installation that serves the tenant. The caller is redirected there. */
  readonly movedTo?: string
}

/**
 * The cause of a 503: the store, no capacity, a process that is stopping, a certificate, a key outside of the process,
 * something that does not exist yet, or a tenant that moves to another installation.
 */
export const MISSING = ['store', 'room', 'stopping', 'certificate', 'key', 'not_yet', 'moving', 'other'] as const
export type Missing = (typeof MISSING)[number]

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly publicMessage: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly allow: readonly string[] | undefined
  readonly reason: string | undefined
  readonly missing: Missing
  readonly movedTo: string | undefined

  constructor(code: RefusalCode, options: RefusalOptions = {}) {
    super(code)
    this.code = code
    this.publicMessage = options.message
    this.retryAfterSeconds = options.retryAfterSeconds
    this.allow = options.allow
    this.reason = options.reason
    this.missing = options.missing ?? 'other'
    this.movedTo = options.movedTo
  }
}
