// Tests the rate limit (GCRA) with examples, and compares it with a model.

import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { decide } from '../../src/platform/rate.ts'

const budget = { perSecond: 10, burst: 3 }

test('a new bucket allows the whole burst, then refills at the rate', () => {
  let tat: number | undefined
  const spend = (now: number) => {
    const decision = decide(budget, now, tat)
    tat = decision.tat
    return decision
  }
  assert.deepEqual(
    [0, 0, 0].map((now) => spend(now).allowed),
    [true, true, true],
  )
  const denied = spend(0)
  assert.equal(denied.allowed, false)
  assert.equal(denied.remaining, 0)
  assert.equal(denied.retryAfterSeconds, 1)
  assert.equal(spend(99).allowed, false)
  assert.equal(spend(100).allowed, true, 'after exactly the wait that the rate requires')
  assert.equal(spend(100).allowed, false)
})

test('a denied request does not move the bucket', () => {
  const first = decide({ perSecond: 1, burst: 1 }, 0, undefined)
  const denied = decide({ perSecond: 1, burst: 1 }, 500, first.tat)
  assert.equal(denied.allowed, false)
  assert.equal(denied.tat, first.tat)
  assert.equal(decide({ perSecond: 1, burst: 1 }, 1000, denied.tat).allowed, true)
})

test('a clock that is set back locks no one out: the bucket starts over', () => {
  const { tat } = decide(budget, 1_000_000, undefined)
  const after = decide(budget, 0, tat)
  assert.equal(after.allowed, true)
  assert.deepEqual(after, decide(budget, 0, undefined))
})

test('waiting Retry-After is always enough, and no window ever sees more than burst plus rate', () => {
  const arrivals = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(
      arrivals,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 20 }),
      (gaps, perSecond, burst) => {
        let now = 0
        let tat: number | undefined
        const granted: number[] = []
        for (const gap of gaps) {
          now += gap
          const decision = decide({ perSecond, burst }, now, tat)
          tat = decision.tat
          if (decision.allowed) granted.push(now)
          else assert.ok(decide({ perSecond, burst }, now + decision.retryAfterSeconds * 1000, tat).allowed)
          assert.ok(decision.remaining >= 0 && decision.remaining <= burst)
        }
        for (const start of granted) {
          const inWindow = granted.filter((at) => at >= start && at < start + 1000).length
          assert.ok(inWindow <= burst + perSecond)
        }
      },
    ),
    { numRuns: 300 },
  )
})
