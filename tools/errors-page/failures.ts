// Explains to merchants what each failure of a verification means. A code without a line here does not compile.

import type { RejectionCode } from '@vidimus/engine'

export const FAILURES = {
  wallet_declined: 'The holder declined in the wallet.',
  wallet_error: 'The wallet reported an error.',
  query_not_satisfied: 'The answer does not meet the query: a credential or a claim is missing.',
  credential_invalid: 'A credential is malformed, or its signature or a digest is wrong.',
  issuer_untrusted: 'Neither you nor the operator trust this issuer for this type of credential.',
  holder_binding_invalid: 'The wallet did not prove that the credential is its own, for this request.',
  credential_expired: 'A credential is not yet valid, or has expired.',
  credential_revoked: 'The issuer has revoked a credential.',
  transaction_not_confirmed:
    'The wallet did not sign the transaction, or signed something else. A finding, or the message, names the reason: `transaction_data_missing`, `transaction_data_hash_mismatch`, `transaction_data_alg_malformed`, `transaction_data_unexpected`, `transaction_data_repeated`, `transaction_data_ambiguous`, `sca_code_missing` or `sca_response_mode`.',
  sca_factors_missing: 'The wallet did not authenticate the holder of a payment by two different factors.',
  authentication_code_reused: 'The authentication code of the payment was already used for another verification.',
  wallet_refused_transaction: 'The wallet does not support this type of transaction, or cannot show it.',
  credential_suspended: 'The issuer has suspended a credential.',
  status_unavailable:
    'It could not be checked whether a credential is revoked, and your policy requires it (`--status-policy-live require`).',
  proof_unavailable:
    'A zero-knowledge proof could not be checked: the proof verifier of the operator did not answer or does not know the circuit.',
  claim_conflict:
    'Several presentations for one credential query (`multiple`) disclose different claim sets (`claim_sets`), and no template outputs say what counts. Merged in `claims`, they could belong to two people. Ask for the same claims of each, or do not use `multiple`.',
} as const satisfies Record<
  | RejectionCode
  | 'wallet_declined'
  | 'wallet_error'
  | 'wallet_refused_transaction'
  | 'authentication_code_reused'
  | 'claim_conflict',
  string
>
