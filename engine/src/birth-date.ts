// Reads birth dates in credentials, which may be whole or have unknown parts.

import type { Json } from './verdict.ts'

/** What a birth date says about its holder. */
export interface Birth {
  /** In whole years, on the day that the reader was created for. */
  readonly age: number
  /** Whether year, month and day are known. */
  readonly whole: boolean
}

const DATE_LENGTH_MAX = 'YYYY-MM-DD'.length
const DATE = /^\d{4}(?:-\d{2}(?:-\d{2})?)?$/

/**
 * Creates a reader of birth dates for a day (YYYY-MM-DD). An unknown part counts as the latest possible day, so that no
 * holder counts as too old. It is cheap, because one response may have thousands of dates.
 */
export function createBirthReader(utcDay: string): (value: Json | undefined) => Birth | null {
  const [toYear = 0, toMonth = 0, toDay = 0] = utcDay.split('-').map(Number)
  return (value) => {
    if (typeof value !== 'string' || value.length > DATE_LENGTH_MAX || !DATE.test(value)) return null
    // ICAO 9303 writes 00 for an unknown part. A missing part is 0, too.
    const [year, month, day] = [Number(value.slice(0, 4)), Number(value.slice(5, 7)), Number(value.slice(8))]
    // OpenID Connect Core §5.1: year 0000 means that the year is withheld.
    if (year === 0 || month > 12) return null
    const whole = month !== 0 && day !== 0
    const latestMonth = month === 0 ? 12 : month
    const days = daysOf(year, latestMonth)
    const latestDay = whole ? day : days
    if (latestDay > days) return null
    // In a year without 29 February, a holder born on that day becomes a year older on 1 March.
    const hadBirthday = toMonth > latestMonth || (toMonth === latestMonth && toDay >= latestDay)
    return { age: toYear - year - (hadBirthday ? 0 : 1), whole }
  }
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}
