// The content of a list as the reader thread returns it. See content.ts.

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
  /** Whether its header names this kind of list. */
  readonly isTyped: boolean
  readonly algorithm: JwsAlgorithm | null
  /** Certificates, signer first; null if the token has none. */
  readonly chain: readonly Uint8Array[] | 'malformed' | null
  readonly signed: SignedToken
  readonly ownSignature: OwnSignature | null
  readonly claims: TimedClaims
  readonly entries: PackedStatuses | Identifiers | null
}

/** The parsed list, before its signature is verified. */
export type UncheckedToken = Omit<TokenContent, 'ownSignature'>

/** Whether the signature matches the key of the certificate with this fingerprint. Nothing is known about that certificate yet. */
export interface OwnSignature {
  readonly fingerprint: string
  readonly holds: boolean
}

/** What the signature covers: one part; or the header and payload of a CWT that contains its signer's certificates. */
interface SignedToken {
  readonly parts: readonly Uint8Array[]
  readonly signature: Uint8Array
}

/** null: the member has the wrong type. undefined: it is absent. */
interface TimedClaims {
  readonly sub: string | null
  readonly iat: number | null | undefined
  readonly exp: number | null | undefined
  readonly ttl: number | null | undefined
}

export interface PackedStatuses {
  readonly kind: 'statuses'
  readonly bits: 1 | 2 | 4 | 8
  /** null if the statuses cannot be unpacked. */
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
