// The closed table of channels. The channel of our own request decides what an answer must be bound to.

import * as CHANNELS from './list.ts'
import type { ChannelRecord, Handover } from './record.ts'

type Table = typeof CHANNELS
export type ChannelKind = keyof Table
type ChannelOf<Kind extends ChannelKind> =
  Table[Kind] extends ChannelRecord<infer Channel> ? Extract<Channel, { readonly kind: Kind }> : never
export type Channel = { [Kind in ChannelKind]: ChannelOf<Kind> }[ChannelKind]

/** Does not compile if `list.ts` lists a record by another name than its own. */
const TABLE: { readonly [Kind in ChannelKind]: ChannelRecord<Channel> & { readonly kind: Kind } } = CHANNELS

/** Throws for an unknown channel, which would not bind the answer to anything. */
function channelOf(kind: ChannelKind): ChannelRecord<Channel> {
  if (!Object.hasOwn(TABLE, kind)) throw new Error('bug: unknown channel')
  return TABLE[kind]
}

export const requireBinding = (channel: Channel): void => channelOf(channel.kind).requireBinding(channel)

/** Returns the allowed values of `aud` in a key binding JWT. */
export const audiencesOf = (channel: Channel): readonly string[] => channelOf(channel.kind).audiences(channel)

/** Returns the untagged SessionTranscripts, of which the device signs one. */
export const sessionTranscripts = ({ channel, nonce, encryption }: Handover & { readonly channel: Channel }) =>
  channelOf(channel.kind).transcripts(channel, { nonce, encryption })

/** Returns the `response_mode` of our request; null if the channel has none, which no text equals. */
export function responseModeOf(kind: ChannelKind, { isEncrypted }: { readonly isEncrypted: boolean }): string | null {
  const { responseMode } = channelOf(kind)
  return responseMode === null || !isEncrypted ? responseMode : `${responseMode}.jwt`
}

export const answerFormOf = (kind: ChannelKind) => channelOf(kind).presents

export const hasReaderKey = (kind: ChannelKind): boolean => channelOf(kind).hasReaderKey

export const carriesTransaction = (kind: ChannelKind): boolean => channelOf(kind).carriesTransaction
