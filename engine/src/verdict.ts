// The parts of verdicts: JSON, checks, codes, and the evidence for the trust in a credential.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }
export type JsonObject = { readonly [member: string]: Json }

/** Checks in their order. The stable name of each states what is true if it passes. */
export const CHECKS = [
  // the credential as a document
  'well_formed',
  'algorithm_allowed',
  'issuer_certificate_present',
  'issuer_trusted',
  'issuer_signature_valid',
  'disclosures_valid', // SD-JWT
  'digests_valid', // mdoc
  'type_requested',
  'within_validity',
  // the holder
  'holder_key_present',
  'holder_signature_valid',
  'bound_to_request',
  'bound_to_presentation', // SD-JWT: sd_hash; mdoc: covered by the transcript
  'device_claims_authorised', // mdoc
  'transaction_data_valid', // confirmed exactly what was requested, and nothing else
  // the answer
  'query_answered',
  'authority_requested', // trusted_authorities of the query
  'not_revoked',
  'signer_not_revoked', // CRL of the document signer
  'claim_conflict', // only a warning
  'transaction_order', // only a warning
] as const
export type CheckName = (typeof CHECKS)[number]

/** `not_provable`: a zero-knowledge proof cannot show this. */
export type CheckStatus = 'pass' | 'fail' | 'warning' | 'skipped' | 'not_provable'

/** `detail` is safe to show to a merchant: no claim value, no key, no token. */
export interface Check {
  readonly check: CheckName
  readonly status: CheckStatus
  readonly detail?: string
}

/** Why a presentation was rejected. The first failed check in the order of checks decides. */
export type RejectionCode =
  | 'query_not_satisfied'
  | 'credential_invalid'
  | 'issuer_untrusted'
  | 'holder_binding_invalid'
  | 'credential_expired'
  | 'credential_revoked'
  | 'credential_suspended'
  | 'status_unavailable'
  | 'transaction_not_confirmed'
  | 'sca_factors_missing'
  /** A proof arrived, but no verifier was available. */
  | 'proof_unavailable'

export interface Issuer {
  readonly common_name?: string
  readonly country?: string
}

/** Why a credential is trusted, for evidence. Contains no data of the holder. */
export interface TrustEvidence {
  /** null if no trusted party signed it. */
  readonly signer: {
    readonly certificate: Uint8Array
    readonly anchor: Uint8Array
    /** SHA-256 of each certificate, base64url. */
    readonly fingerprint: string
    readonly anchorFingerprint: string
  } | null
  /** The credential's own status; null if it names no status list, or if none was fetched. */
  readonly status: { readonly outcome: string; readonly list: UsedList | null } | null
  /** Every list that was used: for the credential's status, and for the certificates of its signer. */
  readonly lists: readonly UsedList[]
}

/** A status list or a revocation list as it was fetched. */
export interface UsedList {
  readonly uri: string
  readonly kind: string
  readonly bytes: Uint8Array
  /** Base64url. */
  readonly sha256: string
}

/** A holder's confirmation of transaction data: the key of exactly one credential signed exactly this text. */
export interface Confirmation {
  /** The text that was sent. */
  readonly text: string
  /** The id of the query whose credential signed the text. */
  readonly queryId: string
  /** When the holder signed, in unix seconds; null if the format has no such time. */
  readonly at: number | null
  /** For strong customer authentication: the `jti` of the proof, and the kinds of factors. Items that one proof signed share this object. */
  readonly authentication: { readonly code: string; readonly factors: readonly Factor[] } | null
}

export const FACTORS = ['knowledge', 'possession', 'inherence'] as const
export type Factor = (typeof FACTORS)[number]
