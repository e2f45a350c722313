// Defines a holder's stored credentials of both formats, with the holder's key, as plain JSON.

import type { Json, JsonObject } from './encoding/json.ts'
import type { PrivateJwk } from './keys.ts'
import type { Disclosure } from './sdjwt.ts'

interface HeldBase {
  readonly key: PrivateJwk
  /** base64url key identifiers of the authorities above the signer, for trusted_authorities. */
  readonly authorityKeyIds: readonly string[]
}

export interface HeldSdJwt extends HeldBase {
  readonly format: 'dc+sd-jwt'
  readonly type: string
  /** Further types that the issuer declares for the credential. */
  readonly otherTypes?: readonly string[]
  readonly issuerJwt: string
  readonly disclosures: readonly Disclosure[]
  /** The processed payload with everything disclosed. */
  readonly claims: JsonObject
}

export interface HeldMdoc extends HeldBase {
  readonly format: 'mso_mdoc'
  readonly type: string
  /** base64url of the COSE_Sign1. */
  readonly issuerAuth: string
  readonly items: readonly HeldItem[]
}

interface HeldItem {
  readonly namespace: string
  readonly element: string
  readonly digestId: number
  /** base64url of IssuerSignedItemBytes. */
  readonly bytes: string
  /** The value as JSON, for matching; byte strings in base64url. */
  readonly value: Json
}

export type HeldCredential = HeldSdJwt | HeldMdoc
