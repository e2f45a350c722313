// English: what is held against a registration, or against a step on the way to live.

import type { RegistrationProblemCode } from '../../../../wire/registration.ts'

export interface RegistrationProblemWords {
  technical: string
  unusable(use: string): string
  problems: Record<RegistrationProblemCode, (first: string, second: string, third: string) => string>
}

export const enRegistrationProblems: RegistrationProblemWords = {
  technical: 'Technically',
  unusable: (use) => `The registration for “${use}” cannot be used:`,
  problems: {
    identity_unknown: () => 'Your registration is not set up yet.',
    about_another: (identifier) => `The certificate is not about ${identifier}, which you are.`,
    intermediary_missing: () => 'The certificate does not name your operator as the one who asks for you.',
    operator_unknown: () =>
      'The certificate names an intermediary that asks on your behalf, and your operator has not registered it.',
    other_intermediary: () => 'The certificate names another than your operator as the one who asks for you.',
    unverified: () => 'The signature of the certificate is not verified.',
    issued_in_future: () => 'The certificate is issued in the future.',
    expired: () => 'The certificate has expired.',
    revoked: () => 'The certificate is revoked.',
    suspended: () => 'The certificate is suspended.',
    invalid: () => 'The certificate is marked as invalid.',
    endless: () => 'The certificate never expires and names no status list, so it cannot be revoked (RPRC_01a).',
    long_lived: () =>
      'The certificate is valid for more than 24 hours and names no status list, so it cannot be revoked (RPRC_01a).',
    no_certificate: () => 'This is no registration certificate.',
    use_missing: () => 'The certificate names no intended use: say which one it is for.',
    use_other: (own) => `The certificate is for the intended use “${own}”.`,
    use_form: () => 'An intended use is named by 1 to 200 plain characters without spaces.',
    no_tenant: () => 'This business is no longer there.',
    too_many_removed: () => 'Too many certificates were removed lately. Try again in two hours.',
    too_many: () => 'There are as many certificates as there may be. Remove one that has ended.',
    too_many_claims: () => 'All certificates together would register too many claims.',
    there_already: () => 'This certificate is there already.',
    use_unclear: (known) =>
      `None or several of the registered intended uses cover this: name one. ${known === '' ? 'None is registered here.' : `Registered are: ${known}.`}`,
    use_unknown: (use, known) =>
      `There is no registration for the intended use “${use}”. ${known === '' ? 'None is registered here.' : `Registered are: ${known}.`}`,
    beyond: (use, asked, covering) =>
      `Not registered for “${use}”: ${asked}.${covering === '' ? '' : ` Other intended uses cover some of it: ${covering}.`}`,
    not_comparable: (use) => `This asks for too much to be compared with what “${use}” registers.`,
    none_at_all: () => 'You must be registered to ask here, and you have no registration certificate.',
    identifier: () => 'The identifier must be 1 to 200 plain characters without spaces.',
    trade_name: () => 'The trade name must be a line of 1 to 200 characters.',
    registry: () => 'The address of the register must begin with https://.',
    for_others: () => 'Only the operator acts for others here.',
    identity_beside: () => 'Who you are is said with the request for an identity, and with no other.',
    asked_already: () => 'You asked for this already.',
    hash: () => 'The document’s hash must be a SHA-256.',
    day: () => 'The date must be a day.',
    dated_in_future: () => 'The document is dated in the future.',
    dated_too_early: (first) => `The document is dated before ${first}.`,
  },
}
