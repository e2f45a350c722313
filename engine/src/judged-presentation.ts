// The engine's verdict on a presentation. Claims exist only in the accepted variant.

import type { PresentedFormat } from './formats/table.ts'
import type { Check, Confirmation, Issuer, JsonObject, RejectionCode, TrustEvidence } from './verdict.ts'

interface CredentialBase {
  /** The id of the credential query it was presented for. */
  readonly queryId: string
  readonly format: PresentedFormat
  /** Empty if no trusted party signed it: unverified text is not repeated. */
  readonly doctypeOrVct: string
  /** Empty for the same reason. */
  readonly issuer: Issuer
  /** The signer, only if the signature is valid. */
  readonly trusted: boolean
  readonly signatureValid: boolean
  readonly holderBindingValid: boolean
  /** Every check of the log, in order. */
  readonly checks: readonly Check[]
  readonly trustEvidence: TrustEvidence
}

export interface AcceptedCredential extends CredentialBase {
  /** Only what the query asked for. SD-JWT: nested as presented. mdoc: namespace -> element -> value. */
  readonly claims: JsonObject
}

export type RejectedCredential = CredentialBase

export type Verdict =
  | {
      readonly outcome: 'accepted'
      readonly credentials: readonly AcceptedCredential[]
      /** One per item of transaction data, in the order of the request. */
      readonly confirmations: readonly Confirmation[]
    }
  | {
      readonly outcome: 'rejected'
      readonly code: RejectionCode
      /** Safe to show to the merchant. */
      readonly message: string
      readonly credentials: readonly RejectedCredential[]
    }
