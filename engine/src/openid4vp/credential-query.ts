// The members that a credential query in DCQL has in every format (OpenID4VP §6.1).

export type PathPart = string | number | null
export type ClaimsPath = readonly PathPart[]
export type ClaimValue = string | number | boolean

export interface ClaimsQuery {
  readonly id?: string
  readonly path: ClaimsPath
  readonly values?: readonly ClaimValue[]
  /** Only for formats that support it, see `claimMembers` in their records. */
  readonly intent_to_retain?: boolean
}

export interface TrustedAuthority {
  readonly type: 'aki'
  readonly values: readonly string[]
}

export interface CredentialQueryBase {
  readonly id: string
  readonly format: string
  readonly meta: object
  readonly multiple?: boolean
  readonly trusted_authorities?: readonly TrustedAuthority[]
  readonly require_cryptographic_holder_binding?: true
  readonly claims?: readonly ClaimsQuery[]
  readonly claim_sets?: readonly (readonly string[])[]
}
