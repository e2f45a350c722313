// Maps error codes to the reasons that the holder's browser may see.

const REASONS = {
  credential_revoked: 'revoked',
  credential_suspended: 'suspended',
  credential_expired: 'outdated',
  issuer_untrusted: 'untrusted',
  query_not_satisfied: 'incomplete',
  status_unavailable: 'uncheckable',
  proof_unavailable: 'uncheckable',
  wallet_error: 'wallet_error',
  transaction_not_confirmed: 'not_confirmed',
  wallet_refused_transaction: 'not_confirmed',
} as const

export type EndReason = (typeof REASONS)[keyof typeof REASONS] | 'cancelled'

/** All other codes only say that the check failed, so that an attacker learns nothing from forgeries. */
export const endReasonOf = (errorCode: string | null): EndReason | null =>
  errorCode !== null && Object.hasOwn(REASONS, errorCode) ? REASONS[errorCode as keyof typeof REASONS] : null
