// What the engine concludes of a presentation. A verdict is data: claims exist only in the accepted variant.

import type { PresentedFormat } from './formats/table.ts'
import type { Check, Confirmation, Grounds, Issuer, JsonObject, RejectionCode } from './verdict.ts'

interface CredentialBase {
  /** The id of the credential query it was presented for. */
  readonly queryId: string
  readonly format: PresentedFormat
  /** Empty if no trusted party signed it: unverified text is not repeated. */
  readonly doctypeOrVct: string
  /** Empty likewise. */
  readonly issuer: Issuer
  /** By whom it is truly signed: never without a valid signature. */
  readonly trusted: boolean
  readonly signatureValid: boolean
  readonly holderBindingValid: boolean
  /** Every check that was made, in order. */
  readonly checks: readonly Check[]
  readonly grounds: Grounds
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
      /** One for each transaction data that was sent, in the order it was. */
      readonly confirmations: readonly Confirmation[]
    }
  | {
      readonly outcome: 'rejected'
      readonly code: RejectionCode
      /** Safe to show to the merchant. */
      readonly message: string
      readonly credentials: readonly RejectedCredential[]
    }
