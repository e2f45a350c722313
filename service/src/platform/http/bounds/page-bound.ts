// Parses the `before` of a list: any UTC instant of RFC 3339, in the form that the store compares exactly.

import { Refusal } from '../../errors.ts'
import { type Instant, instantOf, millisecondsOf } from '../../world.ts'

const SHAPE = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?Z$/
/** The store cannot represent earlier years. */
const BEGINNING: Instant = '0001-01-01T00:00:00.000000Z'

/** Rounds up to the next microsecond. */
export function parsePageBound(text: string): Instant {
  const match = SHAPE.exec(text)
  const [, day = '', time = '', fraction = ''] = match ?? []
  if (match === null || Number.isNaN(Date.parse(`${day}T${time}Z`))) {
    throw new Refusal('invalid_request', { message: 'query.before: must be a date-time in UTC that ends in Z.' })
  }
  const instant = `${day}T${time}.${fraction.slice(0, 6).padEnd(6, '0')}Z`
  if (instant < BEGINNING) return BEGINNING
  return /[1-9]/.test(fraction.slice(6)) ? instantOf(millisecondsOf(instant) + 0.001_5) : instant
}
