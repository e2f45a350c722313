// A signed-in browser: an opaque token, its lifetime, and how long the sign-in counts as fresh.

import { type Instant, millisecondsOf, type Random } from '../../../platform/world.ts'

export type SignInMethod = 'password' | 'passkey' | 'link' | 'oidc'

export interface DashboardSession {
  readonly id: string
  readonly personId: string
  readonly createdAt: Instant
  readonly seenAt: Instant
  /** When the person last authenticated; null: unknown, because the provider does not say. */
  readonly provenAt: Instant | null
  readonly method: SignInMethod
}

const IDLE_MS = 30 * 60_000
const ABSOLUTE_MS = 12 * 3_600_000
/** Access to secrets, live keys and erasure requires a sign-in that is at most this old. */
const FRESH_MS = 10 * 60_000
const SEEN_AGAIN_AFTER_MS = 60_000
const TOKEN_SHAPE = /^[A-Za-z0-9_-]{43}$/

export const SESSION_SECONDS_MAX = ABSOLUTE_MS / 1000
export const LINK_MS = 24 * 3_600_000
/** How long a browser is remembered after its last sign-in. Browsers do not keep cookies longer. */
export const BROWSER_MS = 400 * 86_400_000
/** Lifetime of the mailed link for people who lost access. */
export const ACCESS_LINK_MS = 15 * 60_000
export const CHALLENGE_MS = 5 * 60_000

/** 256 bits. The store has only a hash of the token. */
export const mintToken = (random: Random): string => Buffer.from(random(32)).toString('base64url')
export const looksLikeToken = (text: string): boolean => TOKEN_SHAPE.test(text)

export function isAlive(session: Pick<DashboardSession, 'createdAt' | 'seenAt'>, nowMs: number): boolean {
  return nowMs < millisecondsOf(session.createdAt) + ABSOLUTE_MS && nowMs < millisecondsOf(session.seenAt) + IDLE_MS
}

/** null: unknown. A provider may sign in a person who authenticated with it hours ago. */
export const freshUntilMs = (session: Pick<DashboardSession, 'provenAt'>): number | null =>
  session.provenAt === null ? null : millisecondsOf(session.provenAt) + FRESH_MS

export function isFresh(session: Pick<DashboardSession, 'provenAt'>, nowMs: number): boolean {
  const untilMs = freshUntilMs(session)
  return untilMs !== null && nowMs < untilMs
}

export const isSeenAgain = (session: Pick<DashboardSession, 'seenAt'>, nowMs: number) =>
  nowMs - millisecondsOf(session.seenAt) >= SEEN_AGAIN_AFTER_MS

/** A session that began before this time has expired, even if it is active. */
export const expiredBefore = (nowMs: number): number => nowMs - ABSOLUTE_MS

/** Failed sign-ins of one person get at most one audit entry per this time, with their number, because anyone can cause them. */
export const FAILURES_EVERY_MS = 3_600_000
