// The connection of a customer screen to a till, by a code that the screen shows.

import { createHash } from 'node:crypto'
import { symbolsOf } from './pairing-code.ts'

/** 32 bytes as base64url. Only the screen knows the token, and it gives no other access. */
export const DISPLAY_TOKEN = '^[A-Za-z0-9_-]{43}$'

const MINUTE_MS = 60_000
/** How long a code that was entered at a till waits for its screen. */
export const DISPLAY_CODE_MS = 10 * MINUTE_MS
/** After this time without a request, another till may take the screen, and it must be connected again. */
export const DISPLAY_LAPSES_MS = 24 * 60 * MINUTE_MS
/** A screen polls every two seconds, but it is recorded only this often. */
export const DISPLAY_NOTED_EVERY_MS = 20_000
/** After this time without a record the screen counts as away: it missed two, and the network gets some extra time. */
const DISPLAY_AWAY_MS = 50_000

export interface Display {
  /** Whether a screen has presented the code. */
  readonly isConnected: boolean
  readonly seenAtMs: number
}

/** 'waiting': the code was entered, and no screen has used it yet. 'away': the screen does not poll any more. */
export type DisplayState = 'none' | 'waiting' | 'here' | 'away'

export function displayStateAt(display: Display | null, nowMs: number): DisplayState {
  if (display === null || isLapsed(display, nowMs)) return 'none'
  if (!display.isConnected) return 'waiting'
  return nowMs - display.seenAtMs < DISPLAY_AWAY_MS ? 'here' : 'away'
}

export function isLapsed({ isConnected, seenAtMs }: Display, nowMs: number): boolean {
  return nowMs - seenAtMs >= (isConnected ? DISPLAY_LAPSES_MS : DISPLAY_CODE_MS)
}

/** Returns the stored hash of a token. The code on the screen is derived from it. */
export const hashDisplayToken = (token: string): Buffer => createHash('sha256').update(token, 'utf8').digest()
export const displayCodeOf = (tokenHash: Uint8Array): string => symbolsOf(tokenHash)
