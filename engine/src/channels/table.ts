// By which channel did we ask? What an answer must be bound to follows from it, and from our own request alone.

import * as CHANNELS from './list.ts'
import type { ChannelRecord, Handover } from './record.ts'

type Table = typeof CHANNELS
export type ChannelKind = keyof Table
type ChannelOf<Kind extends ChannelKind> =
  Table[Kind] extends ChannelRecord<infer Channel> ? Extract<Channel, { readonly kind: Kind }> : never
export type Channel = { [Kind in ChannelKind]: ChannelOf<Kind> }[ChannelKind]

/** The compiler names the line of `list.ts` that lists a record under another name than its own. */
const TABLE: { readonly [Kind in ChannelKind]: ChannelRecord<Channel> & { readonly kind: Kind } } = CHANNELS

/** Throws if there is none: an unknown channel binds to nothing. */
function channelOf(kind: ChannelKind): ChannelRecord<Channel> {
  if (!Object.hasOwn(TABLE, kind)) throw new Error('bug: a channel that is none')
  return TABLE[kind]
}

export const requireBinding = (channel: Channel): void => channelOf(channel.kind).requireBinding(channel)

/** What `aud` of a key binding JWT may be. */
export const audiencesOf = (channel: Channel): readonly string[] => channelOf(channel.kind).audiences(channel)

/** The SessionTranscripts, untagged, of which the device signed one. */
export const sessionTranscripts = ({ channel, nonce, encryption }: Handover & { readonly channel: Channel }) =>
  channelOf(channel.kind).transcripts(channel, { nonce, encryption })

/** The `response_mode` that our request had; null where the channel has none, which no text equals. */
export function responseModeOf(kind: ChannelKind, { isEncrypted }: { readonly isEncrypted: boolean }): string | null {
  const { responseMode } = channelOf(kind)
  return responseMode === null || !isEncrypted ? responseMode : `${responseMode}.jwt`
}

export const answerFormOf = (kind: ChannelKind) => channelOf(kind).presents

export const hasReaderKey = (kind: ChannelKind): boolean => channelOf(kind).hasReaderKey

export const carriesTransaction = (kind: ChannelKind): boolean => channelOf(kind).carriesTransaction
