// Derives state, nonce and code verifier of a sign-in at the operator's provider from one secret that the browser has.

import { createHash, createHmac } from 'node:crypto'

export interface OidcRound {
  /** RFC 6749 §10.12. */
  readonly state: string
  /** OpenID Connect Core 1.0 §15.5.2. */
  readonly nonce: string
  /** RFC 7636 §4.1. */
  readonly verifier: string
}

export const ROUND_MS = 10 * 60_000

export function roundOf(token: string): OidcRound {
  const derived = (label: string) => createHmac('sha256', token).update(`vidimus-oidc-${label}`).digest('base64url')
  return { state: derived('state'), nonce: derived('nonce'), verifier: derived('verifier') }
}

/** RFC 7636 §4.2: S256. */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')
