// Checks the times of a status list token. Its own claims decide, not how it was fetched (Token Status List §13.7).

import type { Circumstances } from './signer.ts'

interface Times {
  readonly iat: unknown
  readonly exp: unknown
  readonly ttl: unknown
}

/** The comparisons are written so that they fail for values that are not numbers. */
export function timeFault(times: Times, { expected }: Pick<Circumstances, 'expected'>): string | null {
  const { now, skewSeconds } = expected
  const { iat, exp, ttl } = times
  if (!isTime(iat) || !(iat <= now + skewSeconds)) return 'the status list token does not say when it was issued'
  if (exp !== undefined && !(isTime(exp) && now - skewSeconds < exp)) return 'the status list token has expired'
  if (ttl !== undefined && !(isTime(ttl) && ttl > 0)) return 'the status list token has a malformed time to live'
  if (exp === undefined && !(now - skewSeconds < iat + Math.max(ttl ?? 0, AGE_SECONDS_MAX))) {
    return 'the status list token is out of date'
  }
  return null
}

/** Token Status List §5.1: `exp` is optional. A list without it is valid for its ttl, or for a day. */
const AGE_SECONDS_MAX = 86_400

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
}
