// Parses JSON strictly: RFC 8259 without its ambiguities (RFC 7493). Limits depth and size.

import { isArrayIndex, isKey, Malformed } from './bytes.ts'
import { LIMITS } from './limits.ts'
import type { Json, JsonObject } from './verdict.ts'

export class MalformedJson extends Malformed {
  override name = 'MalformedJson'
}

/** How many members and elements may still be read in all texts that share the budget. */
export interface JsonBudget {
  valuesLeft: number
  /** Escapes in strings, which cost more than plain characters. */
  escapesLeft: number
}

export function jsonBudget(): JsonBudget {
  return { valuesLeft: 20_000, escapesLeft: LIMITS.jsonEscapes }
}

/** `refusedName`: a member name that no object may have. */
export function parseJson(text: string, budget: JsonBudget = jsonBudget(), refusedName?: string): Json {
  if (!text.isWellFormed()) throw new MalformedJson('JSON text has a lone surrogate')
  const reader = new Reader(text, budget, refusedName)
  const value = reader.value(0)
  reader.end()
  return value
}

export function parseJsonObject(text: string, budget?: JsonBudget): JsonObject {
  const value = parseJson(text, budget)
  if (!isJsonObject(value)) throw new MalformedJson('JSON text is not an object')
  return value
}

/**
 * Creates an object without a prototype chain, so that `__proto__` is an ordinary member. Uses a constructor, because
 * V8 stores objects with a null prototype as hash tables, which cost three times as much.
 */
export function bareObject<Value extends Json = Json>(): { [member: string]: Value } {
  return new Bare() as { [member: string]: Value }
}

const Bare = function Bare() {
  // Has no members of its own.
} as unknown as new () => { [member: string]: Json }
Bare.prototype = Object.freeze(Object.create(null))

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns an own member, never an inherited one. */
export function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Compares JSON: the order of members does not matter, the order of elements does. */
export function equalJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((element, i) => equalJson(element, b[i] ?? null))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => Object.hasOwn(b, name) && equalJson(a[name] ?? null, b[name] ?? null))
}

/** Counts the value and all values inside of it, at any depth. */
export function countValues(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const part of Array.isArray(value) ? value : Object.values<Json>(value)) count += countValues(part)
  return count
}

/**
 * Estimates the bytes of the value as text. Counts more for what takes longer to write: twice for text beyond ASCII, 6
 * for an escaped quote, 200 for each member or element. Stops counting at `bytesMax`.
 */
export function jsonLength(value: Json, bytesMax: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'string') return textLength(value, bytesMax)
  if (typeof value !== 'object' || value === null) return 8
  const parts = Array.isArray(value) ? value : Object.values<Json>(value)
  let length = 2 + PART_LENGTH * parts.length
  if (!Array.isArray(value))
    for (const name of Object.keys(value)) if (length <= bytesMax) length += textLength(name, bytesMax - length) + 1
  for (const part of parts) if (length <= bytesMax) length += jsonLength(part, bytesMax - length) + 1
  return length
}

export const isLongerThan = (value: Json, bytesMax: number): boolean => jsonLength(value, bytesMax) > bytesMax

/** Measures in pieces, because escaping all of a text may take six times its memory. Stops counting at `bytesMax`. */
function textLength(text: string, bytesMax: number): number {
  if (text.length > bytesMax) return text.length
  let [bytes, written, length] = [2, 2, 2]
  for (let from = 0; from < text.length && length <= bytesMax; ) {
    const end = from + PIECE_LENGTH
    const to = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end
    const piece = JSON.stringify(text.slice(from, to))
    bytes += Buffer.byteLength(piece) - 2
    written += piece.length - 2
    from = Math.min(to, text.length)
    length = (bytes === written ? bytes : 2 * bytes) + ESCAPE_LENGTH * (written - 2 - from)
  }
  return length
}

const PIECE_LENGTH = 4_096
const isHighSurrogate = (code: number) => code >= 0xd800 && code < 0xdc00

const PART_LENGTH = 200
/** Added for each character that needs an escape. */
const ESCAPE_LENGTH = 4

/** Of two members with one name, the first. Never by assignment: a claim may be named `__proto__`. */
export function firstOfEachName(entries: readonly (readonly [string, Json])[]): JsonObject {
  const union = new Map<string, Json>()
  for (const [name, value] of entries) if (!union.has(name)) union.set(name, value)
  return Object.fromEntries(union)
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const SPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

// A class, because parsing has a position as state.
class Reader {
  private at = 0
  /** The positions of the next escape and the next control character. A plain string contains neither. */
  private escapeAt = 0
  private controlAt = 0
  private readonly text: string
  private readonly budget: JsonBudget
  private readonly refusedName: string | undefined

  constructor(text: string, budget: JsonBudget, refusedName: string | undefined) {
    this.text = text
    this.budget = budget
    this.refusedName = refusedName
  }

  value(depth: number): Json {
    if (this.budget.valuesLeft-- <= 0) throw new MalformedJson('JSON text has too many values')
    switch (this.next()) {
      case QUOTE:
        return this.string()
      case 0x7b:
        return this.object(depth + 1)
      case 0x5b:
        return this.array(depth + 1)
      case 0x74:
        return this.literal('true', true)
      case 0x66:
        return this.literal('false', false)
      case 0x6e:
        return this.literal('null', null)
      default:
        return this.number()
    }
  }

  end(): void {
    this.next()
    if (this.at !== this.text.length) throw new MalformedJson('JSON text has something after its end')
  }

  private object(depth: number): JsonObject {
    this.enter(depth)
    const object = bareObject()
    if (this.closes(0x7d)) return object
    let indexNames = 0
    do {
      if (this.next() !== QUOTE) throw new MalformedJson('JSON object member has no name')
      const name = this.string()
      if (!isKey(name)) throw new MalformedJson('JSON object has a name that is too long')
      if (name in object) throw new MalformedJson('JSON object names a member twice')
      if (isArrayIndex(name) && ++indexNames > LIMITS.indexNames)
        throw new MalformedJson('JSON object has too many names that are array indices')
      if (name === this.refusedName) throw new MalformedJson('JSON object has a name that is not allowed here')
      this.expect(COLON)
      object[name] = this.value(depth)
    } while (this.continues(0x7d))
    return object
  }

  private array(depth: number): Json[] {
    this.enter(depth)
    const array: Json[] = []
    if (this.closes(0x5d)) return array
    do array.push(this.value(depth))
    while (this.continues(0x5d))
    return array
  }

  private string(): string {
    const start = this.at
    const end = this.text.indexOf('"', start + 1)
    if (end < 0) throw new MalformedJson('JSON string does not end')
    if (this.escapeAt <= start) this.escapeAt = found(this.text.indexOf('\\', start))
    if (this.controlAt <= start) this.controlAt = nextControl(this.text, start)
    if (end < this.escapeAt && end < this.controlAt) {
      this.at = end + 1
      return this.text.slice(start + 1, end)
    }
    return this.oddString(start)
  }

  /** Reads a string with an escape or a control character. Jumps from escape to escape, so that plain parts cost little. */
  private oddString(start: number): string {
    let end = this.text.indexOf('"', start + 1)
    while (this.escapeAt < end) {
      if (this.budget.escapesLeft-- <= 0) throw new MalformedJson('JSON text has too many escapes')
      if (this.escapeAt + 1 === end) end = found(this.text.indexOf('"', end + 1))
      this.escapeAt = found(this.text.indexOf('\\', this.escapeAt + 2))
    }
    if (end === Number.POSITIVE_INFINITY) throw new MalformedJson('JSON string does not end')
    if (this.controlAt < end) throw new MalformedJson('JSON string has a control character')
    this.at = end + 1
    return unescaped(this.text.slice(start, end + 1))
  }

  private number(): number {
    NUMBER.lastIndex = this.at
    if (!NUMBER.test(this.text)) throw new MalformedJson('JSON text has an unexpected character or ends early')
    const literal = this.text.slice(this.at, NUMBER.lastIndex)
    if (literal.length > LIMITS.numberLength) throw new MalformedJson('JSON number has too many characters')
    if (literal.length > LIMITS.plainNumberLength) this.budget.valuesLeft -= 1
    const value = Number(literal)
    this.at = NUMBER.lastIndex
    if (!Number.isFinite(value)) throw new MalformedJson('JSON number is out of range')
    // RFC 7493 §2.2: an integer must be represented exactly, and only an integer may be read as one.
    if (Number.isInteger(value) && !(Number.isSafeInteger(value) && saysInteger(literal))) {
      throw new MalformedJson('JSON number cannot be kept exactly')
    }
    return value
  }

  private literal<T extends Json>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw new MalformedJson('JSON text has an unexpected character')
    this.at += word.length
    return value
  }

  private enter(depth: number): void {
    if (depth > LIMITS.jsonDepth) throw new MalformedJson('JSON text is nested too deeply')
    this.at++
  }

  private closes(bracket: number): boolean {
    if (this.next() !== bracket) return false
    this.at++
    return true
  }

  private continues(bracket: number): boolean {
    if (this.closes(bracket)) return false
    this.expect(COMMA)
    return true
  }

  private expect(code: number): void {
    if (this.next() !== code) throw new MalformedJson('JSON text has an unexpected character')
    this.at++
  }

  /** Skips white space. Returns the next character code; NaN at the end. */
  private next(): number {
    const code = this.text.charCodeAt(this.at)
    if (code > 0x20) return code
    SPACE.lastIndex = this.at
    SPACE.test(this.text)
    this.at = SPACE.lastIndex
    return this.text.charCodeAt(this.at)
  }
}

/** Continues after the last match, so that a text is searched only once. With a negated class it would be slower by half. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\0-\x1f]/g

function nextControl(text: string, from: number): number {
  CONTROL.lastIndex = from
  return CONTROL.test(text) ? CONTROL.lastIndex - 1 : Number.POSITIVE_INFINITY
}

function found(index: number): number {
  return index < 0 ? Number.POSITIVE_INFINITY : index
}

/** Whether the text of a number is an integer: 18, 18.0 and 1.8e1 are, 17.99999999999999999 is not. */
function saysInteger(literal: string): boolean {
  if (!/[.eE]/.test(literal)) return true
  const [mantissa = '', exponent = '0'] = literal.split(/[eE]/)
  const point = mantissa.indexOf('.')
  const decimals = point < 0 ? 0 : mantissa.length - point - 1
  const digits = mantissa.replace('.', '')
  let last = digits.length - 1
  while (last >= 0 && !isNonZeroDigit(digits.charCodeAt(last))) last--
  // The position of the last significant digit is 0 for units and -1 for tenths.
  return last < 0 || Number(exponent) - decimals + (digits.length - 1 - last) >= 0
}

function isNonZeroDigit(code: number): boolean {
  return code > 0x30 && code <= 0x39
}

function unescaped(literal: string): string {
  let value: unknown
  try {
    value = JSON.parse(literal)
  } catch {
    throw new MalformedJson('JSON string has a bad escape')
  }
  if (typeof value !== 'string' || !value.isWellFormed()) throw new MalformedJson('JSON string has a lone surrogate')
  return value
}
