// What did we ask for? A DCQL query (OpenID4VP §6), in its wire form, parsed once and valid ever after.

export type PathPart = string | number | null
export type ClaimsPath = readonly PathPart[]
export type ClaimValue = string | number | boolean

export interface ClaimsQuery {
  readonly id?: string
  readonly path: ClaimsPath
  readonly values?: readonly ClaimValue[]
  /** mso_mdoc only. */
  readonly intent_to_retain?: boolean
}

export interface TrustedAuthority {
  readonly type: 'aki'
  readonly values: readonly string[]
}

interface CredentialQueryBase {
  readonly id: string
  readonly multiple?: boolean
  readonly trusted_authorities?: readonly TrustedAuthority[]
  readonly require_cryptographic_holder_binding?: true
  readonly claims?: readonly ClaimsQuery[]
  readonly claim_sets?: readonly (readonly string[])[]
}

export interface SdJwtQuery extends CredentialQueryBase {
  readonly format: 'dc+sd-jwt'
  readonly meta: { readonly vct_values: readonly string[] }
}

export interface MdocQuery extends CredentialQueryBase {
  readonly format: 'mso_mdoc'
  readonly meta: { readonly doctype_value: string }
}

export type CredentialQuery = SdJwtQuery | MdocQuery

export interface CredentialSetQuery {
  readonly options: readonly (readonly string[])[]
  /** Absent means true. */
  readonly required?: boolean
  /** Ours: why it is asked, for wallets that show it. OpenID4VP 1.0 wallets ignore it. */
  readonly purpose?: string
}

export interface DcqlQuery {
  readonly credentials: readonly CredentialQuery[]
  readonly credential_sets?: readonly CredentialSetQuery[]
}
