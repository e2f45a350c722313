// Whom presentations are trusted from.

import type { Anchor } from '@vidimus/engine'

/** What the engine judges chains against. */
export interface TrustAnchor extends Anchor {
  /** Absent: installed by hand. */
  readonly issue?: ListIssue
  /** The sandbox issuer's: its test wallet makes no zero-knowledge proofs. */
  readonly sandbox?: true
}

/** Which issue of a published list. */
export interface ListIssue {
  /** Its address, or the name of the file it was read from. */
  readonly uri: string
  readonly sequence: number | null
  /** base64url; null: it was loaded before this was noted. */
  readonly sha256: string | null
}
