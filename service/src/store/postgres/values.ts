// How PostgreSQL values become JavaScript values. Nothing is rounded: instants keep their microseconds as text,
// and an integer that a number cannot hold is refused instead of bent.

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

/** For the `types` option of a `pg` client: ours where we have one, the driver's otherwise. */
export const valueTypes: pg.CustomTypesConfig = { getTypeParser: parserFor as typeof pg.types.getTypeParser }

function parserFor(oid: number, format: 'text' | 'binary' = 'text'): Parser {
  const own = format === 'text' ? PARSERS.get(oid) : undefined
  return own ?? pg.types.getTypeParser(oid, format)
}

export function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('an int8 beyond 2^53 came out of the database')
  return value
}

// With the session in UTC: "2026-11-15 03:11:24[.f{1,6}]+00". Infinity, BC and other offsets have no place in our rows.
const INSTANT = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?\+00$/

export function parseInstant(text: string): string {
  const match = INSTANT.exec(text)
  if (match === null) throw new RangeError('a timestamptz outside years 0001-9999 in UTC came out of the database')
  const [, day, time, fraction = ''] = match
  return `${day}T${time}.${fraction.padEnd(6, '0')}Z`
}

function arrayOf(parse: Parser): Parser {
  return (text) => parseTextArray(text).map((element: string | null) => (element === null ? null : parse(element)))
}
