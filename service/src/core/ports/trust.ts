// Defines the trust port: the anchors that presentations are checked against.

import type { Anchor } from '@vidimus/engine'

/** An anchor that the engine checks chains against. */
export interface TrustAnchor extends Anchor {
  /** Absent: installed manually. */
  readonly issue?: ListIssue
  /** The anchor of the sandbox issuer, whose test wallet creates no zero-knowledge proofs. */
  readonly sandbox?: true
}

/** The issue of a published list that named an anchor. */
export interface ListIssue {
  /** The address of the list, or the name of the file that it was read from. */
  readonly uri: string
  readonly sequence: number | null
  /** base64url; null: the list was loaded before hashes were recorded. */
  readonly sha256: string | null
}
