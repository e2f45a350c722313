// Tests the dates of mdocs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFullDate, momentOf } from '../../src/formats/mdoc/dates.ts'

const YEARS = [0, 4, 99, 100, 1900, 1970, 2000, 2023, 2024, 2100, 9999]

test('accepts exactly the days of the calendar, as dates and as days of a time', () => {
  for (const year of YEARS) {
    for (let month = 0; month <= 13; month += 1) {
      for (let day = 0; day <= 32; day += 1) {
        const text = `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}`
        const date = new Date(`${text}T23:59:59Z`)
        const isDay = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
        assert.equal(isFullDate(text), isDay, text)
        assert.equal(momentOf(`${text}T23:59:59Z`), isDay ? date.getTime() / 1000 : null, text)
      }
    }
  }
})

test('refuses a full date that is too long or too short, or has digits that are not ASCII', () => {
  for (const text of ['2026-11-15T10:00:00Z', '2026-11-15 ', '2026-11-1', '26-11-15', '२०२६-11-15', '']) {
    assert.equal(isFullDate(text), false, text)
  }
})

function pad(number: number): string {
  return String(number).padStart(2, '0')
}
