// A screen that faces the guest, on a device of its own. It makes a token for itself and shows a code that follows from it; whoever
// types that code at a till has the till's codes shown there. Nobody but the screen knows the token, and it opens nothing else.

import { createHash } from 'node:crypto'
import { symbolsOf } from './pairing-code.ts'

/** 32 bytes as base64url. */
export const DISPLAY_TOKEN = '^[A-Za-z0-9_-]{43}$'

const MINUTE_MS = 60_000
/** A code that was typed waits so long for its screen. */
export const DISPLAY_CODE_MS = 10 * MINUTE_MS
/** A screen that was not heard of for so long is another till's to have, and has to be connected anew. */
export const DISPLAY_LAPSES_MS = 24 * 60 * MINUTE_MS
/** A screen asks every two seconds; it is noted only so often. */
export const DISPLAY_NOTED_EVERY_MS = 20_000
/** Two notes missed, and something for the network. */
export const DISPLAY_AWAY_MS = 50_000

export interface Display {
  /** Whether a screen has come with the code. */
  readonly isConnected: boolean
  readonly seenAtMs: number
}

/** 'waiting': its code was typed, and no screen has come with it yet. 'away': it came, and does not ask any more. */
export type DisplayState = 'none' | 'waiting' | 'here' | 'away'

export function displayStateAt(display: Display | null, nowMs: number): DisplayState {
  if (display === null || isLapsed(display, nowMs)) return 'none'
  if (!display.isConnected) return 'waiting'
  return nowMs - display.seenAtMs < DISPLAY_AWAY_MS ? 'here' : 'away'
}

export function isLapsed({ isConnected, seenAtMs }: Display, nowMs: number): boolean {
  return nowMs - seenAtMs >= (isConnected ? DISPLAY_LAPSES_MS : DISPLAY_CODE_MS)
}

/** Of the text of the token: what is kept, and what the screen shows. */
export const hashDisplayToken = (token: string): Buffer => createHash('sha256').update(token, 'utf8').digest()
export const displayCodeOf = (tokenHash: Uint8Array): string => symbolsOf(tokenHash)
