// Is a status list token of our time? Its own claims decide (Token Status List §13.7), not how it was fetched.

import type { Circumstances } from './signer.ts'

interface Times {
  readonly iat: unknown
  readonly exp: unknown
  readonly ttl: unknown
}

/** Written so that a time that is no number fails. */
export function timeFault(times: Times, { expected }: Pick<Circumstances, 'expected'>): string | null {
  const { now, skewSeconds } = expected
  const { iat, exp, ttl } = times
  if (!isTime(iat) || !(iat <= now + skewSeconds)) return 'the status list token does not say when it was issued'
  if (exp !== undefined && !(isTime(exp) && now - skewSeconds < exp)) return 'the status list token has expired'
  if (ttl !== undefined && !(isTime(ttl) && ttl > 0)) return 'the status list token has a malformed time to live'
  return null
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
}
