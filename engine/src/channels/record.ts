// What the engine must know of a channel to judge an answer that came by it. One folder is one channel; `table.ts` lists them.

import type { KeyObject } from 'node:crypto'

/** What of our request goes into a session transcript, in addition to the channel. */
export interface Handover {
  readonly nonce: string
  /** The key pair of an encrypted OpenID4VP response; null when it was asked for in clear. */
  readonly encryption: { readonly privateKey: KeyObject; readonly thumbprint: Uint8Array } | null
}

/** Methods, not function members: `channelOf` finds a record by the channel's own kind, so it is called with its own channel. */
export interface ChannelRecord<Channel extends { readonly kind: string }> {
  readonly kind: Channel['kind']
  /** Throws if the channel binds to nothing: then an answer to any verifier would be accepted. */
  requireBinding(channel: Channel): void
  /** What `aud` of a key binding JWT may be; none: no SD-JWT travels there. */
  audiences(channel: Channel): readonly string[]
  /** The SessionTranscripts, untagged, of which a device signed one: one for each origin, or the only one. */
  transcripts(channel: Channel, handover: Handover): readonly Uint8Array[]
  /** `response_mode` of a response in clear; null: the channel has no such word. */
  readonly responseMode: string | null
  /** ISO 18013-7 B.4.5: a device MAC is made with the key that the response is encrypted to; false: the channel defines no such key. */
  readonly hasReaderKey: boolean
  /** What an answer is made of. */
  readonly presents: 'vp_token' | 'documents'
  /** Whether a holder can be shown transaction data by it. */
  readonly carriesTransaction: boolean
}
