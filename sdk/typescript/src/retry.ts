// May this call be made again, and after how long?

import type { VidimusError } from './vidimus-error.ts'

export interface RetryTerms {
  /** Calls after the first one, at most. */
  readonly retries: number
  /** Nothing is waited for longer than this, whatever the service says. */
  readonly longestWaitMs: number
}

const FIRST_WAIT_MS = 250
const BACKOFF_MS_MAX = 8_000

/**
 * Milliseconds to wait before the next attempt; null when there must be none. `repeatable`: doing it twice is doing it
 * once (reads, erasure, and whatever carries an idempotency key). `chance` is in [0, 1).
 */
export function waitBeforeRetry(
  error: VidimusError,
  call: { readonly attempt: number; readonly repeatable: boolean },
  terms: RetryTerms & { readonly chance: number },
): number | null {
  if (call.attempt > terms.retries || !mayRetry(error, call.repeatable)) return null
  // A whole window of jitter: callers that failed together do not come back together.
  const backoff = Math.min(BACKOFF_MS_MAX, FIRST_WAIT_MS * 2 ** (call.attempt - 1))
  const wait =
    error.retryAfterSeconds === null
      ? backoff * (0.5 + terms.chance / 2)
      : error.retryAfterSeconds * 1000 + FIRST_WAIT_MS * terms.chance
  return wait > terms.longestWaitMs ? null : Math.ceil(wait)
}

function mayRetry({ code, status }: VidimusError, repeatable: boolean): boolean {
  // Refused before anything was done, whatever it was.
  if (code === 'rate_limit_exceeded') return true
  if (!repeatable) return false
  if (code === 'idempotency_key_in_flight') return true
  return status === null || status >= 500
}
