// Defines a problem of a registration or of going live: a code for pages, a sentence for the command line.

import type { REGISTRATION_PROBLEMS } from '../../../../../wire/values/registration.ts'

export interface RegistrationProblem {
  readonly code: (typeof REGISTRATION_PROBLEMS)[number]
  /** Names and days in the sentence, or the finding of the certificate check. */
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
  /** All problems in one line. */
  readonly problem: string
  readonly problems: readonly RegistrationProblem[]
}

export const refuseRegistration = (...problems: RegistrationProblem[]): RegistrationRefusal => ({
  outcome: 'refused',
  problem: problems.map(({ problem }) => problem).join('; '),
  problems,
})

/** For pages, which have their own text for each code. */
export const renderProblem = ({ code, values }: RegistrationProblem) => ({ code, values: [...values] })

export const renderRefusal = ({ outcome, problems }: RegistrationRefusal) => ({
  outcome,
  problems: problems.map(renderProblem),
})
