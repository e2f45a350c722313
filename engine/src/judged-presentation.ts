// The engine's verdict on a presentation. Claims exist only in the accepted variant.

import type { PresentedFormat } from './formats/table.ts'
import type { Check, Confirmation, Issuer, JsonObject, RejectionCode, TrustEvidence } from './verdict.ts'

interface CredentialBase {
  /** The id of the credential query that the presentation answers. */
  readonly queryId: string
  readonly format: PresentedFormat
  /** Empty unless a trusted party signed it, because unverified text is not repeated. */
  readonly doctypeOrVct: string
  /** Empty unless a trusted party signed it. */
  readonly issuer: Issuer
  /** Whether the signer is trusted and the signature is valid. */
  readonly trusted: boolean
  readonly signatureValid: boolean
  readonly holderBindingValid: boolean
  /** Every check of the log, in order. */
  readonly checks: readonly Check[]
  readonly trustEvidence: TrustEvidence
}

export interface AcceptedCredential extends CredentialBase {
  /** Only the requested claims. SD-JWT: nested as presented. mdoc: namespace, element, value. */
  readonly claims: JsonObject
  /** The position of the claim set that the claims answer; null if the query has no `claim_sets`. */
  readonly claimSet: number | null
}

export type RejectedCredential = CredentialBase

export type Verdict =
  | {
      readonly outcome: 'accepted'
      readonly credentials: readonly AcceptedCredential[]
      /** One for each item of transaction data, in the order of the request. */
      readonly confirmations: readonly Confirmation[]
    }
  | {
      readonly outcome: 'rejected'
      readonly code: RejectionCode
      /** Safe to show to the merchant. */
      readonly message: string
      readonly credentials: readonly RejectedCredential[]
    }
