// Lists allowed values and limits of bodies about trust.

/** The kinds of lists by their names in requests and commands. */
export const TRUST_LIST_KINDS = ['vical', 'lote', 'tsl'] as const

/**
 * `openid4vp` signs request objects; `google` does so for Google Wallet. `iso-reader` signs the reader authentication
 * of ISO 18013-5; `apple` does so for Apple Wallet.
 */
export const CERTIFICATE_PURPOSES = ['openid4vp', 'iso-reader', 'apple', 'google'] as const

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

/** The kinds of providers that a published list can name. */
export const LIST_PROVIDERS = [
  'pid',
  'mdl',
  'public-attestation',
  'attestation',
  'registration-certificate',
  'register',
  'mdoc',
  'age-attestation',
  'wallet',
  'access-certificate',
] as const

/** The kinds of providers whose lists can be granted types, in the order of the page. */
export const IMPORTED_PROVIDERS = [
  'pid',
  'mdl',
  'public-attestation',
  'attestation',
  'registration-certificate',
  'register',
  'mdoc',
  'age-attestation',
] as const satisfies (typeof LIST_PROVIDERS)[number][]
