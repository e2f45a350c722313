// English: what the built-in templates are called, and why a verification failed.

interface Named {
  readonly title: string
  readonly description: string
}

export const enOutcomes = {
  /** None: the service's own words are English. */
  builtIns: {} as Record<string, Named>,
  failures: {
    wallet_declined: 'The holder declined, or has nothing that answers the question.',
    wallet_error: 'The wallet answered with an error.',
    query_not_satisfied: 'The wallet did not present what was asked for.',
    credential_invalid: 'A credential is not genuine.',
    issuer_untrusted: 'The issuer of a credential is not trusted here.',
    holder_binding_invalid: 'A credential does not belong to the wallet that presented it.',
    credential_expired: 'A credential is outside its validity.',
    credential_revoked: 'A credential was revoked.',
    credential_suspended: 'A credential is suspended.',
    status_unavailable: 'Whether a credential was revoked could not be found out.',
  } as Record<string, string>,
}
