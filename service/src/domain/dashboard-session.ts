// A signed-in browser: an opaque token, how long it lasts, and how long the sign-in counts as fresh. Pure.

import { type Instant, millisecondsOf, type Random } from './world.ts'

export type SignInMethod = 'password' | 'passkey' | 'link'

export interface DashboardSession {
  readonly id: string
  readonly personId: string
  readonly createdAt: Instant
  readonly seenAt: Instant
  readonly method: SignInMethod
}

const IDLE_MS = 30 * 60_000
const ABSOLUTE_MS = 12 * 3_600_000
/** Secrets, live keys and erasure want a sign-in no older than this. */
const FRESH_MS = 10 * 60_000
const SEEN_AGAIN_AFTER_MS = 60_000
const TOKEN_SHAPE = /^[A-Za-z0-9_-]{43}$/

export const SESSION_SECONDS_MAX = ABSOLUTE_MS / 1000
export const LINK_MS = 24 * 3_600_000
export const CHALLENGE_MS = 5 * 60_000

/** 256 bits; the store knows only its hash. */
export const mintToken = (random: Random): string => Buffer.from(random(32)).toString('base64url')
export const looksLikeToken = (text: string): boolean => TOKEN_SHAPE.test(text)

export function isAlive(session: Pick<DashboardSession, 'createdAt' | 'seenAt'>, nowMs: number): boolean {
  return nowMs < millisecondsOf(session.createdAt) + ABSOLUTE_MS && nowMs < millisecondsOf(session.seenAt) + IDLE_MS
}

/** Signing in makes a new session, so its creation is the moment of the sign-in. */
export const freshUntilMs = (session: Pick<DashboardSession, 'createdAt'>): number =>
  millisecondsOf(session.createdAt) + FRESH_MS

export const isFresh = (session: Pick<DashboardSession, 'createdAt'>, nowMs: number) => nowMs < freshUntilMs(session)

export const isSeenAgain = (session: Pick<DashboardSession, 'seenAt'>, nowMs: number) =>
  nowMs - millisecondsOf(session.seenAt) >= SEEN_AGAIN_AFTER_MS

/** Older ones are dead whatever was seen. */
export const deadBefore = (nowMs: number): number => nowMs - ABSOLUTE_MS
