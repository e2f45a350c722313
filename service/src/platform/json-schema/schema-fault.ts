// Checks a value against its schema. Returns the path and the reason of the first fault, without the value.

import type { JsonType, Schema } from './schema.ts'
import { isShowable } from './showable.ts'

/** null if the value is valid. `path` is the path of the value in the request. */
export function schemaFault(schema: Schema, value: unknown, path: string): string | null {
  return (
    typeFault(schema, value, path) ??
    plainFault(schema, value, path) ??
    (Array.isArray(value) ? arrayFault(schema, value, path) : null) ??
    (typeof value === 'object' && value !== null && !Array.isArray(value) ? objectFault(schema, value, path) : null) ??
    combinedFault(schema, value, path)
  )
}

function typeFault({ types }: Schema, value: unknown, path: string): string | null {
  if (types === undefined || types.some((type) => isOfType(type, value))) return null
  return `${path}: must be ${types.join(' or ')}`
}

function isOfType(type: JsonType, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

function plainFault({ values, format, length = {}, range = {} }: Schema, value: unknown, path: string): string | null {
  if (values !== undefined && !values.includes(value)) return `${path}: is not one of the values that are allowed`
  if (typeof value === 'string') {
    if (!isShowable(value)) return `${path}: has a character that cannot be shown`
    if (!isWithin([...value].length, length)) return `${path}: is too short or too long`
    if (format !== undefined && !FORMATS[format](value)) return `${path}: must be a ${format}`
  }
  if (typeof value === 'number') {
    const { above = Number.NEGATIVE_INFINITY, below = Number.POSITIVE_INFINITY } = range
    if (!isWithin(value, range) || !(value > above) || !(value < below)) return `${path}: is too small or too large`
  }
  return null
}

function arrayFault({ items, count = {} }: Schema, value: readonly unknown[], path: string): string | null {
  if (!isWithin(value.length, count)) return `${path}: has too few or too many elements`
  if (items === undefined) return null
  for (const [i, one] of value.entries()) {
    const fault = schemaFault(items, one, `${path}[${i}]`)
    if (fault !== null) return fault
  }
  return null
}

function objectFault({ members, required = [], additional }: Schema, value: object, path: string): string | null {
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${path}.${missing}: is required`
  for (const [name, one] of Object.entries(value)) {
    const member = members?.get(name)
    const at = `${path}.${name.replace(/[^\x21-\x7e]/g, '?').slice(0, 64)}`
    if (member === undefined && additional === false) return `${at}: is not a known member`
    const fault = member === undefined ? null : schemaFault(member, one, at)
    if (fault !== null) return fault
  }
  return null
}

function combinedFault({ anyOf, not }: Schema, value: unknown, path: string): string | null {
  if (anyOf !== undefined && !anyOf.some((one) => schemaFault(one, value, path) === null))
    return `${path}: matches none of the allowed forms`
  if (not !== undefined && schemaFault(not, value, path) === null) return `${path}: must not have this form`
  return null
}

const isWithin = (value: number, { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }) =>
  value >= min && value <= max

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const FORMATS: Readonly<Record<NonNullable<Schema['format']>, (text: string) => boolean>> = {
  date: isDate,
  'date-time': (text) => isDate(DATE_TIME.exec(text)?.[1] ?? ''),
  uri: (text) => /^[\x21-\x7e]+$/.test(text) && URL.canParse(text),
  currency: (text) => /^[A-Z]{3}$/.test(text),
}

/** Whether the day exists. */
function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? []
  if (year === undefined) return false
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
}
