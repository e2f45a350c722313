// Which channels are there? The closed table: every other file finds a record here.

import type { ChannelKind } from '@vidimus/engine'
import * as CHANNELS from './list.ts'
import type { ChannelRecord } from './record.ts'

type Table = typeof CHANNELS

/** How an answer came. */
export type AnswerChannel = keyof Table

/** The compiler names the line of `list.ts` that lists a record under another name than its own, and what the engine binds answers to and nobody serves. */
const TABLE: { readonly [Name in AnswerChannel | ChannelKind]: ChannelRecord<Name> } = CHANNELS

export const CHANNEL_NAMES = Object.keys(TABLE) as readonly AnswerChannel[]

/** Throws where there is none: what nobody knows is not guessed to be another. */
export function channelOf(name: AnswerChannel): ChannelRecord<AnswerChannel> {
  if (!CHANNEL_NAMES.includes(name)) throw new Error('bug: a channel that is none')
  return TABLE[name]
}

/** Whether a page's browser carried question and answer: then the answer is bound to that browser. */
export const isInBrowser = (name: AnswerChannel): boolean => channelOf(name).asks === 'offer'
