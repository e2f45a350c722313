// What the engine must know about a channel to judge its answers. Each channel has a folder; `table.ts` lists them.

import type { KeyObject } from 'node:crypto'

/** Parts of our request that a session transcript contains, in addition to the channel. */
export interface Handover {
  readonly nonce: string
  /** The key pair for the wallet's encrypted OpenID4VP response; null if we requested an unencrypted response. */
  readonly encryption: { readonly privateKey: KeyObject; readonly thumbprint: Uint8Array } | null
}

/** Uses methods instead of function members, so that `channelOf` can return a record by the kind of its channel. */
export interface ChannelRecord<Channel extends { readonly kind: string }> {
  readonly kind: Channel['kind']
  /** Throws if the channel binds to nothing, because then an answer to any verifier would be accepted. */
  requireBinding(channel: Channel): void
  /** Returns the allowed values of `aud` in a key binding JWT. Empty if the channel does not transport SD-JWTs. */
  audiences(channel: Channel): readonly string[]
  /** Returns the untagged SessionTranscripts, one per origin or a single one. The device signs one of them. */
  transcripts(channel: Channel, handover: Handover): readonly Uint8Array[]
  /** `response_mode` of an unencrypted response; null if the channel has no `response_mode`. */
  readonly responseMode: string | null
  /** ISO 18013-7 B.4.5: whether the channel defines a key for device MACs. It is the key of the encrypted response. */
  readonly hasReaderKey: boolean
  /** What an answer contains. */
  readonly presents: 'vp_token' | 'documents'
  /** Whether a request on this channel can carry transaction data. */
  readonly carriesTransaction: boolean
}
