// Tests when a webhook is retried: the schedule, its jitter, the effect of Retry-After, and the breaker.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import {
  type AttemptEnd,
  breakerStep,
  nextAttemptMs,
  SCHEDULE_SECONDS,
} from '../../src/features/webhooks/domain/delivery.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))
const HOUR = 3_600_000
const failed = (httpStatus: number, retryAfter?: string): AttemptEnd => ({
  outcome: 'http_error',
  httpStatus,
  ...(retryAfter === undefined ? {} : { retryAfter }),
})
const wait = (attempts: number, end: AttemptEnd, nowMs = 0) => {
  const next = nextAttemptMs({ attempts, createdAtMs: 0, nowMs }, end, random)
  return next === null ? null : (next - nowMs) / 1000
}

test('each wait differs from the planned one by at most a tenth, spread evenly', () => {
  for (const [attempts, planned] of SCHEDULE_SECONDS.entries()) {
    if (attempts === 0) continue
    const waits = Array.from({ length: 500 }, () => wait(attempts, failed(500)) ?? Number.NaN)
    assert.ok(Math.min(...waits) >= planned * 0.9 && Math.max(...waits) <= planned * 1.1)
    const early = waits.filter((seconds) => seconds < planned).length
    assert.ok(early > 150 && early < 350, `${early} of 500 before the plan`)
    assert.ok(new Set(waits).size > 400)
  }
})

test('the sixth failure is final, and so is a 410', () => {
  assert.equal(wait(6, failed(500)), null)
  assert.equal(wait(1, failed(410)), null)
  assert.notEqual(wait(5, failed(500)), null)
  assert.notEqual(wait(1, { outcome: 'timeout', httpStatus: null }), null)
})

test('Retry-After of a 429 or 503 applies if later, up to twice the wait; otherwise it is ignored', () => {
  assert.equal(wait(1, failed(503, '45')), 45)
  assert.equal(wait(1, failed(429, '60')), 60)
  assert.equal(wait(1, failed(429, '86400')), 60, 'twice the planned 30 s')
  const date = new Date(50_000).toUTCString()
  assert.equal(wait(1, failed(503, date)), 50)
  for (const text of ['1', '-5', '1e99', 'soon', '', '9'.repeat(400), new Date(-1e12).toUTCString()]) {
    const seconds = wait(1, failed(503, text)) ?? Number.NaN
    assert.ok(seconds >= 27 && seconds <= 60, `${text}: ${seconds}`)
  }
  const ignored = wait(1, failed(500, '59')) ?? Number.NaN
  assert.ok(ignored <= 33)
})

test('all attempts start within 23.5 hours, whatever the receiver asks for', () => {
  for (let round = 0; round < 200; round += 1) {
    let nowMs = 0
    for (let attempts = 1; attempts <= 5; attempts += 1) {
      nowMs =
        nextAttemptMs({ attempts, createdAtMs: 0, nowMs: nowMs + 15_000 }, failed(503, '999999999'), random) ?? nowMs
    }
    assert.ok(nowMs <= 23.5 * HOUR, `${nowMs / HOUR} hours`)
  }
})

test('a destination is reported after a day, disabled after five days and ten failures; sporadic failures cause neither', () => {
  const since = (hours: number, failures: number, noticed = false) =>
    breakerStep({ sinceMs: 0, failures, noticed }, hours * HOUR)
  assert.equal(since(23.9, 100), 'none')
  assert.equal(since(24, 1), 'notice')
  assert.equal(since(25, 1, true), 'none')
  assert.equal(since(120, 9, true), 'none')
  assert.equal(since(119.9, 10, true), 'none')
  assert.equal(since(120, 10, true), 'disable')
})
