// Defines the settings of the operator's OpenID provider, which staff may sign in through.

export interface OidcSettings {
  /** Exactly as the provider writes it. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The label of the button. */
  readonly name: string
}
