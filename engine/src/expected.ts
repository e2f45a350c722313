// What we demand of a presentation: everything here comes from our own stored request and policy, never from the sender.

import type { KeyObject } from 'node:crypto'
import type { Channel } from './channels/table.ts'
import type { ListBudget } from './limits.ts'
import type { ListContent, StatusKind } from './status/list-types.ts'
import type { TransactionItem } from './transaction/item.ts'
import type { Anchor, VouchedFormat } from './trust/anchor.ts'
import type { ChainCache } from './trust/cache.ts'

/** What of our own request every presentation is held against, whatever its format. */
export interface SentRequest {
  /** By which way we asked, and so what the answer is bound to. */
  readonly channel: Channel
  readonly nonce: string
  /** As `readTransaction` reads what was sent; absent: nothing was, and nothing of it may come back. */
  readonly transaction?: readonly TransactionItem[]
  /** The key pair of an encrypted OpenID4VP response; null when it was asked for in clear (direct_post, dc_api). */
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
   * Fetched bytes of a status list or a CRL, or why there are none. Called only after the credential itself verified. The
   * reader of the list spends its bytes and items from the budget of this response.
   */
  readonly fetchStatus: (source: StatusSource, budget: ListBudget) => Promise<StatusAnswer>
  /** Caches certificates and chains whose signatures were verified; times are checked on every call. */
  readonly cache: ChainCache
  /** HAIP 1.0 rules: no anchor in x5c, leaf never self-signed, one document, status_list form. */
  readonly haip: boolean
  /** Whether a proof holds; `unavailable` where that could not be found out. Absent: no proof is accepted. */
  readonly verifyZk?: (statement: ZkStatement) => Promise<'valid' | 'invalid' | 'unavailable'>
}

/** Of what a proof is to convince: nothing in it is the sender's word alone but the claims, the time and the proof itself. */
export interface ZkStatement {
  readonly system: string
  /** Hex. */
  readonly circuitHash: string
  /** On P-256, base64url; of a certificate that leads to an anchor. */
  readonly issuerKey: { readonly x: string; readonly y: string }
  /** SessionTranscript, untagged. */
  readonly transcript: Uint8Array
  readonly docType: string
  /** RFC 3339, to the second, in UTC. */
  readonly timestamp: string
  /** As many as the circuit has; values in CBOR. */
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
  /** As `readList` reads it, where that was done already: it takes time by the length of the list. */
  readonly content?: ListContent
}

export type StatusAnswer =
  | (FetchedList & {
      readonly outcome: 'fetched'
      readonly stale: boolean
      /** Those that proved good before, the newest first: what they revoked stays so if this one is none, or not for everybody. */
      readonly earlier?: readonly FetchedList[]
      /** Called once it proved to be a list of that address, signed and of our time: only then is it worth keeping. */
      readonly rely?: () => void
    })
  | {
      readonly outcome: 'unavailable'
      readonly reason: string
      /** It was not fetched, because as many lists were read as may be for this response, or for this tenant in a while. */
      readonly overBudget?: 'response' | 'tenant'
    }
