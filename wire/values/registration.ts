// Closed lists and limits of bodies: registration.

export const REGISTRATION_STATUSES = ['none', 'valid', 'revoked', 'suspended', 'invalid', 'unknown'] as const

export const INTENDED_USE_LENGTH_MAX = 200

/** The name of an intended use; registers use UUIDs, numbers and words. */
export const INTENDED_USE = '[\\x21-\\x7e]{1,200}'

/** Days before its end at which the tenant is notified; a registrar takes days for another one. */
export const ENDING_DAYS = [30, 7, 1] as const

export const IDENTIFIER_LENGTH_MAX = 200

export const TRADE_NAME_LENGTH_MAX = 200

export const REGISTRY_URI_LENGTH_MAX = 500

export const REGISTRATION_PROBLEMS = [
  // Of a certificate.
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
  // Of one that is added.
  'no_certificate',
  'use_missing',
  'use_other',
  'use_form',
  'no_tenant',
  'too_many_removed',
  'too_many',
  'too_many_claims',
  'there_already',
  // Of what is asked under one.
  'use_unclear',
  'use_unknown',
  'beyond',
  'not_comparable',
  'none_at_all',
  // Of who one is, and of what the operator is asked for.
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

/** The last four: why nothing could be compared. */
export const FINDING_CODES = [...DRIFT_CODES, 'unreachable', 'not_authentic', 'unreadable', 'no_register'] as const

export const LOOK_OUTCOMES = ['same', 'drift', 'failed'] as const
