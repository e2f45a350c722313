// Reads birth dates in credentials, which may be whole or have unknown parts.

import type { Json } from './verdict.ts'

/** What a birth date says about its holder. */
export interface Birth {
  /** In whole years, on the day that the reader was created for. */
  readonly age: number
  /** Whether year, month and day are known. */
  readonly whole: boolean
}

/** `YYYY-MM-DD` has ten characters. */
const DATE_LENGTH_MAX = 10

/** Creates a reader of birth dates for a day (YYYY-MM-DD). Each distinct text is parsed once. */
export function createBirthReader(utcDay: string): (value: Json | undefined) => Birth | null {
  const read = new Map<string, Birth | null>()
  return (value) => {
    if (typeof value !== 'string' || value.length > DATE_LENGTH_MAX) return null
    const known = read.get(value)
    if (known !== undefined) return known
    const found = birthOf(value)
    const birth = found === undefined ? null : { age: ageOn(found.latest, utcDay), whole: found.whole }
    read.set(value, birth)
    return birth
  }
}

interface Day {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** YYYY, YYYY-MM or YYYY-MM-DD. An unknown part counts as the latest possible day, so that no holder counts as too old. */
function birthOf(text: string): { readonly latest: Day; readonly whole: boolean } | undefined {
  const match = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text)
  if (match === null) return undefined
  const [, year = '', month, day] = match
  // OpenID Connect Core §5.1: year 0000 means that the year is withheld.
  if (year === '0000') return undefined
  // ICAO 9303 writes 00 for an unknown part.
  const knownMonth = month === undefined || month === '00' ? 12 : Number(month)
  if (knownMonth > 12) return undefined
  const days = new Date(Date.UTC(Number(year), knownMonth, 0)).getUTCDate()
  const dayKnown = day !== undefined && day !== '00' && month !== '00'
  const knownDay = dayKnown ? Number(day) : days
  if (knownDay > days) return undefined
  return { latest: { year: Number(year), month: knownMonth, day: knownDay }, whole: dayKnown }
}

/** In a year without 29 February, a holder born on that day becomes a year older on 1 March. */
function ageOn(birth: Day, utcDay: string): number {
  const [year = 0, month = 0, day = 0] = utcDay.split('-').map(Number)
  const hadBirthday = month > birth.month || (month === birth.month && day >= birth.day)
  return year - birth.year - (hadBirthday ? 0 : 1)
}
