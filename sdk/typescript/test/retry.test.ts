// Tests which failed calls are retried, and when.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { waitBeforeRetry } from '../src/retry.ts'
import { VidimusError } from '../src/vidimus-error.ts'

const TERMS = { retries: 3, longestWaitMs: 60_000, chance: 0 }
const failed = (code: string, status: number | null, retryAfterSeconds: number | null = null) =>
  new VidimusError({ code, message: '', status, retryAfterSeconds })

describe('retries', () => {
  const cases: [code: string, status: number | null, repeatable: boolean, unrepeatable: boolean][] = [
    ['rate_limit_exceeded', 429, true, true],
    ['quota_exceeded', 429, false, false],
    ['unavailable', 503, true, false],
    ['internal_error', 500, true, false],
    ['unexpected_answer', 502, true, false],
    ['unexpected_answer', 200, false, false],
    ['connection_failed', null, true, false],
    ['timeout', null, true, false],
    ['idempotency_key_in_flight', 409, true, false],
    ['idempotency_key_reused', 422, false, false],
    ['invalid_api_key', 401, false, false],
    ['insufficient_scope', 403, false, false],
    ['session_not_found', 404, false, false],
    ['invalid_request', 400, false, false],
  ]
  for (const [code, status, repeatable, unrepeatable] of cases) {
    it(`${code} ${status}`, () => {
      const error = failed(code, status)
      assert.equal(waitBeforeRetry(error, { attempt: 1, repeatable: true }, TERMS) !== null, repeatable)
      assert.equal(waitBeforeRetry(error, { attempt: 1, repeatable: false }, TERMS) !== null, unrepeatable)
    })
  }
})

describe('the wait before a retry', () => {
  const wait = (error: VidimusError, attempt: number, change = {}) =>
    waitBeforeRetry(error, { attempt, repeatable: true }, { ...TERMS, ...change })

  it('doubles its window each time, and is random within it', () => {
    const error = failed('connection_failed', null)
    assert.deepEqual(
      [1, 2, 3].map((attempt) => wait(error, attempt)),
      [125, 250, 500],
    )
    assert.deepEqual(
      [1, 2, 3].map((attempt) => wait(error, attempt, { chance: 0.999 })),
      [250, 500, 1000],
    )
    assert.equal(wait(error, 20, { retries: 50, chance: 0.999 }), 7996)
  })

  it('is never shorter than Retry-After', () => {
    assert.equal(wait(failed('unavailable', 503, 7), 1), 7000)
    assert.ok((wait(failed('unavailable', 503, 7), 1, { chance: 0.999 }) ?? 0) >= 7000)
    assert.equal(wait(failed('unavailable', 503, 0), 1), 0)
  })

  it('is never longer than the caller allows: then the call fails', () => {
    assert.equal(wait(failed('unavailable', 503, 61), 1), null)
    assert.equal(wait(failed('unavailable', 503, 1), 1, { longestWaitMs: 0 }), null)
  })

  it('is null after the last attempt, and at once without retries', () => {
    assert.notEqual(wait(failed('timeout', null), 3), null)
    assert.equal(wait(failed('timeout', null), 4), null)
    assert.equal(wait(failed('timeout', null), 1, { retries: 0 }), null)
  })
})
