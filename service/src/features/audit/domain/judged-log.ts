// The record of the daily check of all chains, with a MAC so that a program with the database alone cannot skip entries.

import { createHmac, timingSafeEqual } from 'node:crypto'

export interface JudgedLog {
  /** The size of the log at the last check. */
  readonly size: number
  /** Names of the chains that were changed when they were checked last. */
  readonly changed: readonly string[]
}

/** `key` is that of the heads' MACs. */
export const macOfJudgedLog = (key: Uint8Array, { size, changed }: JudgedLog): Buffer =>
  createHmac('sha256', key)
    .update(['vidimus-judged-log-v1', String(size), ...changed].join('\0'), 'utf8')
    .digest()

/** An attacker can put back an older record. Then the check only reads more. */
export const isOwnJudgedLog = (key: Uint8Array, log: JudgedLog, mac: Uint8Array | null): boolean =>
  mac?.length === 32 && timingSafeEqual(macOfJudgedLog(key, log), mac)

/** Which entries one run reads again, although an earlier run has checked them. */
export interface Turns {
  /** A chain is read in blocks of this many entries, each in its turn. */
  readonly block: number
  /** Each block's turn comes once in so many days. */
  readonly days: number
  /** The days whose turns a run takes, in days since 1970. */
  readonly today: readonly number[]
}

/** The blocks of a chain of `seq` entries whose turn it is, as the number of entries before each. */
export function blocksInTurn({ block, days, today }: Turns, tag: Buffer, seq: number): number[] {
  const due = new Set(today.map((day) => day % days))
  // The tag is secret, so a program with the database alone does not know a block's turn.
  const first = tag.readUInt32BE(4)
  const blocks = Array.from({ length: Math.ceil(seq / block) }, (_, i) => i)
  return blocks.filter((i) => due.has((first + i) % days)).map((i) => i * block)
}
