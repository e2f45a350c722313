// What each failure of a verification means to a merchant. A code without a line here does not compile.

import type { RejectionCode } from '@vidimus/engine'

export const FAILURES = {
  wallet_declined: 'The holder said no.',
  wallet_error: 'The wallet answered with an error of its own.',
  query_not_satisfied: 'What was presented does not answer the question: a credential or a claim is missing.',
  credential_invalid: 'A credential is malformed, or its signature or digests do not hold.',
  issuer_untrusted: 'The issuer is nobody you or the operator trust for this type of credential.',
  holder_binding_invalid: 'Whoever answered did not prove to be the holder, for this very request.',
  credential_expired: 'A credential is not valid yet or no longer.',
  credential_revoked: 'The issuer has revoked a credential.',
  credential_suspended: 'The issuer has suspended a credential.',
  status_unavailable:
    'Whether a credential is revoked could not be established, and your policy demands it (`--status-policy-live require`).',
} as const satisfies Record<RejectionCode | 'wallet_declined' | 'wallet_error', string>
