// What the engine must know about a channel to judge its answers. Each channel is a folder; `table.ts` lists them.

import type { KeyObject } from 'node:crypto'

/** The parts of our request that enter a session transcript, in addition to the channel. */
export interface Handover {
  readonly nonce: string
  /** The key pair that the wallet encrypts its OpenID4VP response to; null if we asked for an unencrypted response. */
  readonly encryption: { readonly privateKey: KeyObject; readonly thumbprint: Uint8Array } | null
}

/** Methods, not function members, so that `channelOf` can return a record by the kind of its channel. */
export interface ChannelRecord<Channel extends { readonly kind: string }> {
  readonly kind: Channel['kind']
  /** Throws if the channel binds to nothing: then an answer to any verifier would be accepted. */
  requireBinding(channel: Channel): void
  /** Allowed values of `aud` in a key binding JWT. Empty if the channel carries no SD-JWT. */
  audiences(channel: Channel): readonly string[]
  /** The untagged SessionTranscripts of which the device signs one: one per origin, or a single one. */
  transcripts(channel: Channel, handover: Handover): readonly Uint8Array[]
  /** `response_mode` of an unencrypted response; null if the channel has no `response_mode`. */
  readonly responseMode: string | null
  /** ISO 18013-7 B.4.5: whether the channel defines the key for a device MAC, which is the key of the encrypted response. */
  readonly hasReaderKey: boolean
  /** What an answer contains. */
  readonly presents: 'vp_token' | 'documents'
  /** Whether a request on this channel can carry transaction data. */
  readonly carriesTransaction: boolean
}
