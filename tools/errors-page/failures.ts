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
  transaction_not_confirmed:
    'What the holder was to agree to was not signed, or not as it was sent. A finding, or the message, names the reason: `transaction_data_missing`, `transaction_data_hash_mismatch`, `transaction_data_alg_malformed`, `transaction_data_unexpected`, `transaction_data_repeated`, `sca_code_missing` or `sca_response_mode`.',
  sca_factors_missing: 'The wallet did not authenticate the holder of a payment by two different factors.',
  authentication_code_reused: 'The authentication code of a payment was used for another verification before.',
  wallet_refused_transaction:
    'The wallet does not know the type of what the holder was to agree to, or cannot show it.',
  credential_suspended: 'The issuer has suspended a credential.',
  status_unavailable:
    'Whether a credential is revoked could not be established, and your policy demands it (`--status-policy-live require`).',
  proof_unavailable:
    'A credential was proved instead of shown, and the proof could not be checked: the verifier of the operator did not answer, or has no such circuit.',
  claim_conflict:
    'Several presentations for one credential query (`multiple`) disclose different claim sets (`claim_sets`): put together in `claims` they could be of two people. Ask for the same claims of each, or without `multiple`.',
} as const satisfies Record<
  | RejectionCode
  | 'wallet_declined'
  | 'wallet_error'
  | 'wallet_refused_transaction'
  | 'authentication_code_reused'
  | 'claim_conflict',
  string
>
