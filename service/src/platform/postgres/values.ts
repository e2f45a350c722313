// Converts PostgreSQL values to JavaScript and back without rounding. Instants stay text; large integers are refused.

import pg from 'pg'

type Parser = (text: string) => unknown

const OID = {
  int8: 20,
  int8Array: 1016,
  date: 1082,
  dateArray: 1182,
  timestamp: 1114,
  timestamptz: 1184,
  timestamptzArray: 1185,
  textArray: 1009,
}

const parseTextArray: (text: string) => string[] = pg.types.getTypeParser(OID.textArray, 'text')

const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [OID.int8, parseInt8],
  [OID.date, String],
  [OID.timestamp, String],
  [OID.timestamptz, parseInstant],
  [OID.int8Array, arrayOf(parseInt8)],
  [OID.dateArray, arrayOf(String)],
  [OID.timestamptzArray, arrayOf(parseInstant)],
])

/** For the `types` option of a `pg` client. Uses our parser if there is one, otherwise the driver's. */
export const valueTypes: pg.CustomTypesConfig = { getTypeParser: parserFor as typeof pg.types.getTypeParser }

function parserFor(oid: number, format: 'text' | 'binary' = 'text'): Parser {
  const own = format === 'text' ? PARSERS.get(oid) : undefined
  return own ?? pg.types.getTypeParser(oid, format)
}

function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('an int8 beyond 2^53 came out of the database')
  return value
}

// Sessions use UTC: "2026-11-15 03:11:24[.f{1,6}]+00". Our rows never contain infinity, BC or other offsets.
const INSTANT = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?\+00$/

function parseInstant(text: string): string {
  const match = INSTANT.exec(text)
  if (match === null) throw new RangeError('a timestamptz outside years 0001-9999 in UTC came out of the database')
  const [, day, time, fraction = ''] = match
  return `${day}T${time}.${fraction.padEnd(6, '0')}Z`
}

function arrayOf(parse: Parser): Parser {
  return (text) => parseTextArray(text).map((element: string | null) => (element === null ? null : parse(element)))
}

export type EncodedValue = string | Buffer | null

/** Encodes bytes unchanged, objects as JSON, and any other value as text. */
export function encodeValue(value: unknown): EncodedValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return bytesOf(value)
  if (Array.isArray(value)) return encodeArray(value)
  // Instants are text here, because a `Date` would depend on a time zone.
  if (value instanceof Date) throw new TypeError('bug: a parameter of a statement is a Date')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const bytesOf = (bytes: Uint8Array) =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const encodeArray = (values: readonly unknown[]): EncodedValue =>
  values.some((value) => value instanceof Uint8Array) ? encodeBytesArray(values) : encodeTextArray(values)

/** The OID of `bytea`. */
const BYTEA = 17

/** Uses PostgreSQL's binary format. As text, bytes would be twice as long and copied three times. */
function encodeBytesArray(values: readonly unknown[]): Buffer {
  const elements = values.map((value) => {
    if (value !== null && !(value instanceof Uint8Array))
      throw new TypeError('bug: an array mixes bytes and other values')
    return value
  })
  const encoded = Buffer.allocUnsafe(elements.reduce((length, value) => length + 4 + (value?.length ?? 0), 20))
  // Number of dimensions, whether there may be nulls, type of the elements, length, and first index.
  let at = 0
  for (const head of [1, 1, BYTEA, elements.length, 1]) at = encoded.writeInt32BE(head, at)
  for (const value of elements) {
    at = encoded.writeInt32BE(value?.length ?? -1, at)
    if (value === null) continue
    encoded.set(value, at)
    at += value.length
  }
  return encoded
}

function encodeTextArray(values: readonly unknown[]): string {
  let text = ''
  for (const value of values) text += `${text === '' ? '' : ','}${encodeElement(value)}`
  return `{${text}}`
}

/** Frequent cases come first and skip the search for characters that they cannot contain. */
function encodeElement(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return encodeTextArray(value)
  if (value instanceof Uint8Array) throw new TypeError('bug: bytes within an array of arrays')
  const encoded = encodeValue(value)
  return encoded === null ? 'NULL' : quoted(String(encoded))
}

/** JSON quotes in a fifth of the time, but also escapes control characters and lone surrogates. */
function quoted(text: string): string {
  if (!/["\\]/.test(text)) return `"${text}"`
  return /[\p{Cc}\p{Cs}]/u.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : JSON.stringify(text)
}
