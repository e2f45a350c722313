// Tests the forecast of usage: from the mean of past days, or from today alone, up to the quota.

import assert from 'node:assert/strict'
import test from 'node:test'
import { isReached, readThresholds } from '../../src/features/alerts/domain/usage-alerts.ts'
import { forecastOf } from '../../src/features/figures/domain/forecast.ts'

const NOON = Date.parse('2027-06-15T12:00:00Z')
const created = (days: Record<string, number>) => new Map(Object.entries(days))

test('the forecast at noon is the count so far and half of the daily mean of the last week; the month works the same way', () => {
  const days = created({ '2027-06-15': 30, '2027-06-14': 60, '2027-06-13': 20, '2027-06-01': 500 })
  const { today, spentAtMs, month } = forecastOf(days, 1_000, NOON)
  assert.equal(today, 50, 'the mean of two days, 40, for half a day')
  assert.equal(spentAtMs, null)
  assert.deepEqual(month, { soFar: 610, atEnd: 610 + 20 + 15 * 40 })
})

test('days without verifications count in the mean, from the first day that has some', () => {
  assert.equal(forecastOf(created({ '2027-06-11': 80 }), 1_000, NOON).today, 10)
})

test('the forecast gives the time when the quota is used up, and never exceeds the quota', () => {
  const days = created({ '2027-06-15': 90, '2027-06-14': 80 })
  const { today, spentAtMs } = forecastOf(days, 100, NOON)
  assert.equal(today, 100)
  assert.equal(spentAtMs, NOON + 3 * 3_600_000, 'the remaining ten at a pace of eighty a day')
  assert.equal(forecastOf(created({ '2027-06-15': 100 }), 100, NOON).spentAtMs, NOON)
  assert.equal(forecastOf(created({ '2027-06-15': 130 }), 100, NOON).today, 130, 'a quota that was lowered')
})

test('on a first day the forecast extends the count so far, but not in the first hour', () => {
  assert.equal(forecastOf(created({ '2027-06-15': 30 }), 1_000, NOON).today, 60)
  const early = Date.parse('2027-06-15T00:30:00Z')
  assert.deepEqual(forecastOf(created({ '2027-06-15': 30 }), 1_000, early), {
    today: null,
    spentAtMs: null,
    month: { soFar: 30, atEnd: null },
  })
  assert.equal(forecastOf(created({}), 1_000, NOON).today, null)
})

test('the forecast of a month ends with it, also in a leap February and at the end of a year', () => {
  const last = Date.parse('2028-02-29T12:00:00Z')
  const days = created({ '2028-02-29': 5, '2028-02-28': 10 })
  assert.deepEqual(forecastOf(days, 1_000, last).month, { soFar: 15, atEnd: 20 })
  const eve = Date.parse('2027-12-31T12:00:00Z')
  assert.deepEqual(forecastOf(created({ '2027-12-30': 10 }), 1_000, eve).month, { soFar: 10, atEnd: 15 })
})

test('thresholds are whole percents, each once and rising, and are reached at exactly that share', () => {
  assert.deepEqual(readThresholds([100, 80, 80]), [80, 100])
  for (const wrong of [[], [0], [101], [79.5], [1, 2, 3, 4, 5, 6]]) assert.throws(() => readThresholds(wrong))
  assert.ok(isReached(80, { used: 80, quota: 100 }))
  assert.ok(!isReached(80, { used: 79, quota: 100 }))
  assert.ok(isReached(1, { used: 1, quota: 3 }))
  assert.ok(!isReached(1, { used: 0, quota: 0 }), 'the quota is 0')
})
