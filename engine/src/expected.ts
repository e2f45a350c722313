// What we require of a presentation: from our own stored request and policy, never from the sender.

import type { KeyObject } from 'node:crypto'
import type { Channel } from './channels/table.ts'
import type { ListBudget } from './limits.ts'
import type { ListContent, StatusKind } from './status/list-types.ts'
import type { TransactionItem } from './transaction/item.ts'
import type { Anchor, VouchedFormat } from './trust/anchor.ts'
import type { ChainCache } from './trust/cache.ts'

/** The parts of our request that every presentation is checked against, in any format. */
export interface SentRequest {
  /** The channel of our request, which decides what the answer is bound to. */
  readonly channel: Channel
  readonly nonce: string
  /** As `readTransaction` returns it; absent: none was sent, and the answer must not confirm any. */
  readonly transaction?: readonly TransactionItem[]
  /** The key pair of an encrypted OpenID4VP response; null if we asked for an unencrypted one (direct_post, dc_api). */
  readonly encryption: { readonly privateKey: KeyObject; readonly thumbprint: Uint8Array } | null
  /** Unix seconds. */
  readonly requestedAt: number
  readonly now: number
  readonly skewSeconds: number
}

export interface Trust {
  readonly anchors: readonly Anchor[]
  /** require: an unknown status rejects. prefer: an unknown status is a warning. Revoked always rejects. */
  readonly statusPolicy: 'require' | 'prefer'
  /**
   * Fetches a status list or a CRL, or returns why it is unavailable. Called only after the credential itself was verified. The list
   * reader spends the budget of this response.
   */
  readonly fetchStatus: (source: StatusSource, budget: ListBudget) => Promise<StatusAnswer>
  /** Caches certificates and chains whose signatures were verified; times are checked on every call. */
  readonly cache: ChainCache
  /** HAIP 1.0 rules: no anchor in x5c, leaf never self-signed, one document, status_list form. */
  readonly haip: boolean
  /** Verifies a proof; `unavailable` if it could not be checked. Absent: no proof is accepted. */
  readonly verifyZk?: (statement: ZkStatement) => Promise<'valid' | 'invalid' | 'unavailable'>
}

/** What a proof must prove. Only the claims, the time and the proof itself come from the sender. */
export interface ZkStatement {
  readonly system: string
  /** Hex. */
  readonly circuitHash: string
  /** On P-256, base64url, from a certificate that leads to an anchor. */
  readonly issuerKey: { readonly x: string; readonly y: string }
  /** SessionTranscript, untagged. */
  readonly transcript: Uint8Array
  readonly docType: string
  /** RFC 3339 in UTC, with seconds. */
  readonly timestamp: string
  /** As many as the circuit proves; values in CBOR. */
  readonly claims: readonly { readonly nameSpace: string; readonly element: string; readonly value: Uint8Array }[]
  readonly proof: Uint8Array
}

export interface StatusSource {
  readonly uri: string
  readonly kind: StatusKind
  readonly format: VouchedFormat
}

export interface FetchedList {
  readonly bytes: Uint8Array
  readonly contentType: string
  /** Unix seconds. */
  readonly fetchedAt?: number
  /** As `readList` returns it, if the list was read before: reading a long list takes time. */
  readonly content?: ListContent
}

export type StatusAnswer =
  | (FetchedList & {
      readonly outcome: 'fetched'
      readonly stale: boolean
      /** Earlier issues that were valid, newest first. Their revocations still count if this issue is invalid. */
      readonly earlier?: readonly FetchedList[]
      /** Called once the list proved valid for its address, signer and time. Only then should it be cached. */
      readonly rely?: () => void
    })
  | {
      readonly outcome: 'unavailable'
      readonly reason: string
      /** It was not fetched, because the budget of this response or of this tenant is spent. */
      readonly overBudget?: 'response' | 'tenant'
    }
