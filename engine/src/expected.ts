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
  /** The channel of our request. It determines what the answer must be bound to. */
  readonly channel: Channel
  readonly nonce: string
  /** From `readTransaction`; absent: nothing was sent to confirm, so the answer must not confirm anything. */
  readonly transaction?: readonly TransactionItem[]
  /** The key pair of an encrypted OpenID4VP response; null if we requested an unencrypted one (direct_post, dc_api). */
  readonly encryption: { readonly privateKey: KeyObject; readonly thumbprint: Uint8Array } | null
  /** Unix seconds. */
  readonly requestedAt: number
  readonly now: number
  readonly skewSeconds: number
}

export interface Trust {
  readonly anchors: readonly Anchor[]
  /** `require`: an unknown status rejects. `prefer`: an unknown status is a warning. A revoked credential is always rejected. */
  readonly statusPolicy: 'require' | 'prefer'
  /**
   * Fetches a status list or a CRL, or returns why it is unavailable. Called only after the credential itself was
   * verified. Reading the list spends the budget of the response.
   */
  readonly fetchStatus: (source: StatusSource, budget: ListBudget) => Promise<StatusAnswer>
  /** Caches certificates and chains whose signatures were verified. Every call checks their times again. */
  readonly cache: ChainCache
  /** HAIP 1.0 rules: no anchor in x5c, no self-signed leaf, only one document, status as status_list. */
  readonly haip: boolean
  /** Verifies a proof; `unavailable`: the proof could not be checked. Absent: no proof is accepted. */
  readonly verifyZk?: (statement: ZkStatement) => Promise<'valid' | 'invalid' | 'unavailable'>
}

/** What a proof must prove. Only claims, time and the proof come from the sender. */
export interface ZkStatement {
  readonly system: string
  /** Hex. */
  readonly circuitHash: string
  /** A P-256 key, base64url, from a certificate that leads to an anchor. */
  readonly issuerKey: { readonly x: string; readonly y: string }
  /** SessionTranscript, untagged. */
  readonly transcript: Uint8Array
  readonly docType: string
  /** RFC 3339 in UTC, with seconds. */
  readonly timestamp: string
  /** As many claims as the circuit proves. Values are CBOR. */
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
  /** From `readList`, if the list was read before, because reading a long list takes time. */
  readonly content?: ListContent
}

export type StatusAnswer =
  | (FetchedList & {
      readonly outcome: 'fetched'
      readonly stale: boolean
      /**
       * Earlier valid issues, newest first. If this issue is invalid, their revocations still count. One with
       * `markVerified` is what the host serves now, and counts in full: this issue is newer, but may be by another signer.
       */
      readonly earlier?: readonly (FetchedList & { readonly markVerified?: () => void })[]
      /** Called when the list is proven valid for its address, signer and time. Only then should the caller cache it. */
      readonly markVerified?: () => void
    })
  | {
      readonly outcome: 'unavailable'
      readonly reason: string
      /** Set if the list was not fetched because the budget of this response or of its tenant is used up. */
      readonly overBudget?: 'response' | 'tenant'
    }
