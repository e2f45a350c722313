// Lists allowed values and limits of bodies about registrations.

export const REGISTRATION_STATUSES = ['none', 'valid', 'revoked', 'suspended', 'invalid', 'unknown'] as const

export const INTENDED_USE_LENGTH_MAX = 200

/** An intended use. Registers use UUIDs, numbers and words. */
export const INTENDED_USE = '[\\x21-\\x7e]{1,200}'

/** How many days before the expiry the tenant is notified. A registrar takes days to issue the next certificate. */
export const ENDING_DAYS = [30, 7, 1] as const

export const IDENTIFIER_LENGTH_MAX = 200

export const TRADE_NAME_LENGTH_MAX = 200

export const REGISTRY_URI_LENGTH_MAX = 500

export const REGISTRATION_PROBLEMS = [
  // Faults of a certificate.
  'identity_unknown',
  'about_another',
  'intermediary_missing',
  'operator_unknown',
  'other_intermediary',
  'unverified',
  'issued_in_future',
  'expired',
  'revoked',
  'suspended',
  'invalid',
  'endless',
  'long_lived',
  // Faults when a certificate is added.
  'no_certificate',
  'use_missing',
  'use_other',
  'use_form',
  'no_tenant',
  'too_many_removed',
  'too_many',
  'too_many_claims',
  'there_already',
  // Faults of a question under a registration.
  'use_unclear',
  'use_unknown',
  'beyond',
  'not_comparable',
  'none_at_all',
  // Faults of an identity, and of requests to the operator.
  'identifier',
  'trade_name',
  'registry',
  'for_others',
  'identity_beside',
  'asked_already',
  'hash',
  'day',
  'dated_in_future',
  'dated_too_early',
] as const

export const DRIFT_CODES = [
  'not_registered',
  'intermediary_not_named',
  'not_an_intermediary',
  'intended_use_missing',
  'intended_use_revoked',
  'claims_differ',
] as const

/** The last four say why no comparison was possible. */
export const FINDING_CODES = [...DRIFT_CODES, 'unreachable', 'not_authentic', 'unreadable', 'no_register'] as const

export const LOOK_OUTCOMES = ['same', 'drift', 'failed'] as const
