// What is held against a registration, or against a step on the way to live: a code that pages have words for, and a sentence
// for the command line.

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

export interface RegistrationProblem {
  readonly code: (typeof REGISTRATION_PROBLEMS)[number]
  /** Names and days in the sentence, or what the check of a certificate found. */
  readonly values: readonly string[]
  readonly problem: string
}

export const registrationProblem = (
  code: RegistrationProblem['code'],
  problem: string,
  ...values: string[]
): RegistrationProblem => ({ code, values, problem })

export interface RegistrationRefusal {
  readonly outcome: 'refused'
  /** All of them in a line. */
  readonly problem: string
  readonly problems: readonly RegistrationProblem[]
}

export const refuseRegistration = (...problems: RegistrationProblem[]): RegistrationRefusal => ({
  outcome: 'refused',
  problem: problems.map(({ problem }) => problem).join('; '),
  problems,
})

/** For pages, which have their own words for it. */
export const renderProblem = ({ code, values }: RegistrationProblem) => ({ code, values: [...values] })

export const renderRefusal = ({ outcome, problems }: RegistrationRefusal) => ({
  outcome,
  problems: problems.map(renderProblem),
})
