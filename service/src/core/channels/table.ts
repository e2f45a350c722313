// Holds the closed table of channels, in which every other file finds a record.

import type { ChannelKind } from '@vidimus/engine'
import * as CHANNELS from './list.ts'
import type { ChannelRecord } from './record.ts'

type Table = typeof CHANNELS

/** The channel of an answer. */
export type AnswerChannel = keyof Table

/**
 * The compiler reports a record that `list.ts` lists under another name than its own, and an engine binding that no
 * channel serves.
 */
const TABLE: { readonly [Name in AnswerChannel | ChannelKind]: ChannelRecord<Name> } = CHANNELS

export const CHANNEL_NAMES = Object.keys(TABLE) as readonly AnswerChannel[]

/** Throws for an unknown name, so that no channel is mistaken for another. */
export function channelOf(name: AnswerChannel): ChannelRecord<AnswerChannel> {
  if (!CHANNEL_NAMES.includes(name)) throw new Error('bug: unknown channel')
  return TABLE[name]
}

/** Whether a page's browser carried request and answer. Then the answer is bound to that browser. */
export const isInBrowser = (name: AnswerChannel): boolean => channelOf(name).asks === 'offer'
