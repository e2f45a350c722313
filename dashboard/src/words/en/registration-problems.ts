// English: problems of a registration, or of a step of going live.

import type { RegistrationProblemCode } from '../../../../wire/registration.ts'

export interface RegistrationProblemWords {
  technical: string
  more(n: number): string
  missing(claims: string, count: number): string
  unusable(use: string): string
  problems: Record<RegistrationProblemCode, (first: string, second: string, third: string) => string>
}

export const enRegistrationProblems: RegistrationProblemWords = {
  technical: 'Technical details',
  more: (n) => `${n} more`,
  missing: (claims) => `Missing: ${claims}`,
  unusable: (use) => `The registration for “${use}” cannot be used:`,
  problems: {
    identity_unknown: () => 'Your registration is not set up yet.',
    about_another: (identifier) => `The certificate was not issued to ${identifier}, your identifier.`,
    intermediary_missing: () => 'The certificate does not name your operator as your intermediary.',
    operator_unknown: () =>
      'The certificate names an intermediary, but your operator has not completed its own registration.',
    other_intermediary: () => 'The certificate names a different intermediary than your operator.',
    unverified: () => 'The signature of the certificate could not be verified.',
    issued_in_future: () => 'The certificate’s issue date is in the future.',
    expired: () => 'The certificate has expired.',
    revoked: () => 'The certificate is revoked.',
    suspended: () => 'The certificate is suspended.',
    invalid: () => 'The certificate is marked as invalid.',
    endless: () =>
      'The certificate never expires and names no status list, so it cannot be revoked. Ask your registrar for one with a status list.',
    long_lived: () =>
      'The certificate is valid for more than 24 hours and names no status list, so it cannot be revoked. Ask your registrar for one with a status list.',
    no_certificate: () => 'This is not a registration certificate.',
    use_missing: () => 'The certificate does not name an intended use. Enter the one it is for.',
    use_other: (own) => `The certificate is for the intended use “${own}”.`,
    use_form: () => 'An intended use has 1 to 200 plain characters, without spaces.',
    no_tenant: () => 'This company no longer exists.',
    too_many_removed: () => 'Too many certificates have been removed recently. Try again in two hours.',
    too_many: () => 'You have reached the limit for certificates. Remove one that has expired.',
    too_many_claims: () => 'Your certificates together register too many claims.',
    there_already: () => 'This certificate has already been added.',
    use_unclear: (known) =>
      `No intended use, or more than one, covers this. Name one. ${known === '' ? 'None is registered here.' : `Registered: ${known}.`}`,
    use_unknown: (use, known) =>
      `There is no registration for the intended use “${use}”. ${known === '' ? 'None is registered here.' : `Registered: ${known}.`}`,
    beyond: (use, requested, covering) =>
      `Not registered for the purpose “${use}”: ${requested}.${covering === '' ? '' : ` Other purposes cover some of it: ${covering}.`}`,
    not_comparable: (use) => `This asks for too many claims to compare them with the registration for “${use}”.`,
    none_at_all: () => 'You need a registration certificate to ask for this.',
    identifier: () => 'The identifier must be 1 to 200 plain characters without spaces.',
    trade_name: () => 'The trade name must be a single line of 1 to 200 characters.',
    registry: () => 'The register URL must begin with https://.',
    for_others: () => 'Only the operator can act on behalf of others.',
    identity_beside: () => 'Business details belong to an identity request only.',
    asked_already: () => 'You have already requested this.',
    hash: () => 'The document’s hash must be a SHA-256 hash.',
    day: () => 'Enter a valid date.',
    dated_in_future: () => 'The document is dated in the future.',
    dated_too_early: (first) => `The document is dated before ${first}.`,
  },
}
