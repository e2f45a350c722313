// The operator's OpenID provider, which staff may sign in through.

export interface OidcSettings {
  /** As the provider writes it, to the last character. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** What the button says. */
  readonly name: string
}
