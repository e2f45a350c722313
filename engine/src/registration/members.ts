// Parses members of a registration certificate: texts, texts by language, and the credentials that it covers.

import { Malformed } from '../bytes.ts'
import { isJsonObject, member, parseJson } from '../json.ts'
import type { ClaimsPath, PathPart } from '../openid4vp/credential-query.ts'
import type { Json, JsonObject } from '../verdict.ts'

export interface RegisteredCredential {
  readonly format: string
  /** Values of vct, or a single docType. */
  readonly types: readonly string[]
  readonly paths: readonly ClaimsPath[]
}

export interface WordedText {
  readonly lang: string
  readonly text: string
}

const TEXT_LENGTH_MAX = 2048
const WORDED_MAX = 50
const CREDENTIALS_MAX = 100
/** As many types per credential as a query may name. */
const TYPES_MAX = 50
/** Claims of all credentials together. Real certificates have a few dozen. */
const PATHS_MAX = 500
const PATH_PARTS_MAX = 16

/** No name or identifier has control characters; PostgreSQL cannot hold U+0000, and they must not reach a page. */
export const isLine = (text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text)

/** Returns null if the member is absent. Throws if it is not a text. */
export function readText(object: JsonObject, name: string): string | null {
  const value = member(object, name)
  if (value === undefined || value === null) return null
  if (typeof value !== 'string' || value === '' || value.length > TEXT_LENGTH_MAX || !isLine(value))
    throw new Malformed(`its ${name} is not a text`)
  return value
}

export function readNumber(object: JsonObject, name: string): number | null {
  const value = member(object, name)
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Malformed(`its ${name} is not a number`)
  return value
}

/** The end of the year 9999. Later times have no text form. */
const TIME_MAX = 253_402_300_799

/** Unix seconds. */
export function readTime(object: JsonObject, name: string): number | null {
  const value = readNumber(object, name)
  if (value !== null && (value < 0 || value > TIME_MAX)) throw new Malformed(`its ${name} is not a time`)
  return value
}

/** A purpose may have several lines. */
const isWording = (text: string) => isLine(text.replaceAll(/[\t\r\n]/g, ' '))

/** For display only: TS 119 475 writes `value`, and the register writes `content`. */
export function readWords(value: Json | undefined): readonly WordedText[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, WORDED_MAX).flatMap((one: Json) => {
    if (!isJsonObject(one)) return []
    const text = member(one, 'value') ?? member(one, 'content')
    const lang = member(one, 'lang')
    if (typeof text !== 'string' || text === '' || text.length > TEXT_LENGTH_MAX || !isWording(text)) return []
    return [{ lang: typeof lang === 'string' && isLine(lang) ? lang.slice(0, 35) : '', text }]
  })
}

/** An absent list does not cover anything. */
export function readCredentials(value: Json | undefined): readonly RegisteredCredential[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || value.length > CREDENTIALS_MAX) throw new Malformed('its credentials cannot be read')
  const credentials = value.map((one: Json) => {
    if (!isJsonObject(one)) throw new Malformed('its credentials cannot be read')
    const format = readText(one, 'format')
    if (format === null) throw new Malformed('one of its credentials has no format')
    return { format, types: typesOf(member(one, 'meta')), paths: pathsOf(one) }
  })
  if (countPaths(credentials) > PATHS_MAX) throw new Malformed('its credentials have too many claims')
  return credentials
}

export const countPaths = (credentials: readonly RegisteredCredential[]): number =>
  credentials.reduce((sum, { paths }) => sum + paths.length, 0)

/** In V1.1.1 the type is a text. */
function typesOf(meta: Json | undefined): readonly string[] {
  if (!isJsonObject(meta) && typeof meta !== 'string') return []
  const types = typeof meta === 'string' ? meta : (member(meta, 'vct_values') ?? member(meta, 'doctype_value'))
  const values: readonly Json[] = Array.isArray(types) ? types : types === undefined ? [] : [types]
  if (values.length > TYPES_MAX) throw new Malformed('one of its credentials has too many types')
  return values.map((type) => {
    if (typeof type !== 'string' || !isLine(type))
      throw new Malformed('one of its credentials has a type that is not a text')
    return type
  })
}

/** The samples write `claim`, and the register writes `claims`. */
function pathsOf(credential: JsonObject): readonly ClaimsPath[] {
  const claims = ['claim', 'claims'].flatMap((name): readonly Json[] => {
    const list = member(credential, name)
    if (list === undefined || list === null) return []
    if (!Array.isArray(list)) throw new Malformed('one of its credentials has claims that cannot be read')
    return list
  })
  return claims.map((one) => pathOf(isJsonObject(one) ? member(one, 'path') : undefined))
}

/** V1.1.1 has a text: a claim's name, or a path as JSON. For an mdoc, an element's name without its name space covers nothing. */
function pathOf(value: Json | undefined): ClaimsPath {
  const path = typeof value === 'string' && value !== '' ? pathInText(value) : value
  if (!Array.isArray(path) || path.length === 0 || path.length > PATH_PARTS_MAX || !path.every(isPart))
    throw new Malformed('one of its credentials has a path that cannot be read')
  return path
}

function pathInText(text: string): Json {
  if (text.length > TEXT_LENGTH_MAX) throw new Malformed('one of its credentials has a path that cannot be read')
  return text.startsWith('[') ? parseJson(text) : [text]
}

function isPart(part: Json): part is PathPart {
  return (
    (typeof part === 'string' && isLine(part)) ||
    part === null ||
    (typeof part === 'number' && Number.isSafeInteger(part))
  )
}
