// Decides whether to retry a call, and after how long.

import type { VidimusError } from './vidimus-error.ts'

export interface RetryTerms {
  /** The largest number of retries. */
  readonly retries: number
  /** The longest wait, even if the service asks for more. */
  readonly longestWaitMs: number
}

const FIRST_WAIT_MS = 250
const BACKOFF_MS_MAX = 8_000

/**
 * Milliseconds to wait before the next attempt; null if there must be none. `repeatable`: the call is idempotent (reads,
 * erasure, calls with an idempotency key). `chance` is in [0, 1).
 */
export function waitBeforeRetry(
  error: VidimusError,
  call: { readonly attempt: number; readonly repeatable: boolean },
  terms: RetryTerms & { readonly chance: number },
): number | null {
  if (call.attempt > terms.retries || !mayRetry(error, call.repeatable)) return null
  // Full jitter: callers that failed together do not retry together.
  const backoff = Math.min(BACKOFF_MS_MAX, FIRST_WAIT_MS * 2 ** (call.attempt - 1))
  const wait =
    error.retryAfterSeconds === null
      ? backoff * (0.5 + terms.chance / 2)
      : error.retryAfterSeconds * 1000 + FIRST_WAIT_MS * terms.chance
  return wait > terms.longestWaitMs ? null : Math.ceil(wait)
}

function mayRetry({ code, status }: VidimusError, repeatable: boolean): boolean {
  // The service refused it before it did anything, so a retry is safe.
  if (code === 'rate_limit_exceeded') return true
  if (!repeatable) return false
  if (code === 'idempotency_key_in_flight') return true
  return status === null || status >= 500
}
