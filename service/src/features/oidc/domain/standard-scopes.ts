// Lists the standard scopes and the claims that each requests (OpenID Connect Core §5.4).

const CLAIMS_OF_SCOPE: Readonly<Record<string, readonly string[]>> = {
  profile: [
    ...['name', 'family_name', 'given_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture'],
    ...['website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at'],
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
}

export const STANDARD_SCOPES: readonly string[] = Object.keys(CLAIMS_OF_SCOPE)

/** Other scopes add no claims. */
export const claimsOfScopes = (scopes: readonly string[]): readonly string[] =>
  STANDARD_SCOPES.filter((scope) => scopes.includes(scope)).flatMap((scope) => CLAIMS_OF_SCOPE[scope] ?? [])
