// The content of a list as it is handed from the thread that read it to those who ask. See content.ts.

import type { JwsAlgorithm } from '../algorithms.ts'
import type { Crl } from './crl-content.ts'
import type { SortedRanges } from './sorted-ranges.ts'

export type StatusKind = 'status_list_jwt' | 'status_list_cwt' | 'identifier_list_cwt' | 'crl'

export interface ListContent {
  /** SHA-256 of the bytes, base64url. */
  readonly sha256: string
  readonly list: TokenContent | CrlContent
}

export interface TokenContent {
  readonly kind: 'status_list_jwt' | 'status_list_cwt' | 'identifier_list_cwt'
  /** Whether its header says that it is a list of that kind. */
  readonly isTyped: boolean
  readonly algorithm: JwsAlgorithm | null
  /** Certificates of the signer, the signer's own first; null where it brings none. */
  readonly chain: readonly Uint8Array[] | 'malformed' | null
  readonly signed: SignedToken
  readonly ownSignature: OwnSignature | null
  readonly claims: TimedClaims
  readonly said: PackedStatuses | Identifiers | null
}

/** As it is read, before its signature was looked at. */
export type UncheckedToken = Omit<TokenContent, 'ownSignature'>

/** Whether the signature verifies with the key of the certificate with that fingerprint. The certificate is not judged yet. */
export interface OwnSignature {
  readonly fingerprint: string
  readonly holds: boolean
}

/** What the signature covers, as ranges of the bytes: of a JWT its own text, of a CWT header and payload. */
interface SignedToken {
  readonly parts: readonly Uint8Array[]
  readonly signature: Uint8Array
}

/** Each a text or a number; null where it is something else, undefined where it is not there. */
interface TimedClaims {
  readonly sub: string | null
  readonly iat: number | null | undefined
  readonly exp: number | null | undefined
  readonly ttl: number | null | undefined
}

export interface PackedStatuses {
  readonly kind: 'statuses'
  readonly bits: 1 | 2 | 4 | 8
  /** Null where they cannot be unpacked. */
  readonly statuses: Uint8Array | null
}

export interface Identifiers {
  readonly kind: 'identifiers'
  readonly payload: Uint8Array
  readonly ranges: SortedRanges
}

export interface CrlContent {
  readonly kind: 'crl'
  readonly crl: Crl
}
