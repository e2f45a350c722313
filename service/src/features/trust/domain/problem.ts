// Why a change of whom one trusts, or of how one names oneself, is refused: a code that pages have words for, and a sentence of
// what was found for the command line.

export const TRUST_PROBLEMS = [
  'no_tenant',
  'by_operator_in_live',
  'registrations_by_operator',
  'one_certificate',
  'too_many_anchors',
  'types_missing',
  'types_mixed',
  'key_mixed',
  'sole_type',
  'pinned_in_test_only',
  'not_an_authority',
  'anchor_unfit',
  'address',
  'signer_certificate',
  'too_many_lists',
  'list_not_fetched',
  'list_too_long',
  'list_signer_revoked',
  'list_older',
  'list_unfit',
  'list_providers',
  'list_mismatch',
  'list_names_nobody',
  'too_many_waiting',
  'not_waiting',
  'service',
  'identity_missing',
  'country',
  'email',
  'apple_name',
  'apple_subject',
  'no_certificates',
  'no_private_key',
  'no_key_waits',
  'certificate_unfit',
  'installed_meanwhile',
] as const

export type TrustProblem = (typeof TRUST_PROBLEMS)[number]

export interface TrustRefusal {
  readonly outcome: 'refused'
  readonly code: TrustProblem
  readonly problem: string
}

export const refuseTrust = (code: TrustProblem, problem: string): TrustRefusal => ({
  outcome: 'refused',
  code,
  problem,
})
