// Decides whether a holder has reached an age, from the age claims of credentials or from a birth date; undefined if
// neither says so.

import type { Json } from '@vidimus/engine'

/** The path of an `age_over_NN`, and its NN. */
export interface AgeSource {
  readonly credential: string
  readonly path: readonly string[]
  readonly age: number
}

interface AgeEvidence {
  readonly flags: readonly { readonly age: number; readonly value: Json | undefined }[]
  readonly birthDates: readonly (Json | undefined)[]
  /** YYYY-MM-DD: the day that the age is computed for. */
  readonly utcDay: string
}

/**
 * ISO/IEC 18013-5 §7.2.5: being older than a higher age proves it, not being older than a lower one disproves it. If
 * one says no and another yes, it is no. A birth date with unknown parts counts as the latest possible date, and only
 * if nothing says more.
 */
export function ageAtLeast(age: number, { flags, birthDates, utcDay }: AgeEvidence): boolean | undefined {
  const stated = flags.flatMap((flag) => {
    if (flag.value === true && flag.age >= age) return [true]
    return flag.value === false && flag.age <= age ? [false] : []
  })
  const births = birthDates.flatMap((text) => (typeof text === 'string' ? (birthOf(text) ?? []) : []))
  const computed = births.map(({ latest, whole }) => ({ whole, answer: ageOn(latest, utcDay) >= age }))
  const certain = [...stated, ...computed.flatMap(({ whole, answer }) => (whole || answer ? [answer] : []))]
  if (certain.length > 0) return !certain.includes(false)
  return computed.length > 0 ? false : undefined
}

interface Day {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** YYYY, YYYY-MM or YYYY-MM-DD; an unknown part counts as the latest possible day, so that no holder is made older. */
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

/** A holder born on 29 February is a year older from 1 March on in years without a 29th. */
function ageOn(birth: Day, utcDay: string): number {
  const [year = 0, month = 0, day = 0] = utcDay.split('-').map(Number)
  const hadBirthday = month > birth.month || (month === birth.month && day >= birth.day)
  return year - birth.year - (hadBirthday ? 0 : 1)
}
