// Parses JSON strictly: RFC 8259 without its ambiguities (RFC 7493), with limits on depth and size.

import { isKey, Malformed } from './bytes.ts'
import { LIMITS } from './limits.ts'
import type { Json, JsonObject } from './verdict.ts'

export class MalformedJson extends Malformed {
  override name = 'MalformedJson'
}

/** How many members and elements may still be read, in one text or in several that share the budget. */
export interface JsonBudget {
  valuesLeft: number
  /** Escapes in strings: each costs more than a plain character. */
  escapesLeft: number
}

export function jsonBudget(): JsonBudget {
  return { valuesLeft: 20_000, escapesLeft: LIMITS.jsonEscapes }
}

/** `refusedName`: no object may have a member of this name. */
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
 * An object that inherits nothing, so `__proto__` is an ordinary member. Made by a constructor, because V8 stores an object with a
 * null prototype as a hash table, which costs three times as much.
 */
export function bareObject<Value extends Json = Json>(): { [member: string]: Value } {
  return new Bare() as { [member: string]: Value }
}

const Bare = function Bare() {
  // Sets no own members.
} as unknown as new () => { [member: string]: Json }
Bare.prototype = Object.freeze(Object.create(null))

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An own member, never an inherited one. */
export function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Equal as JSON: members in any order, elements in the same order. */
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

/**
 * About the bytes that it is written with, and more for what takes longer to write: a text beyond ASCII counts twice, an escaped
 * quote as 6, a member or an element as 200 more. Stops counting beyond `bytesMax`.
 */
export function jsonLength(value: Json, bytesMax: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'string') return textLength(value)
  if (typeof value !== 'object' || value === null) return 8
  const parts = Array.isArray(value) ? value : Object.values<Json>(value)
  let length = 2 + PART_LENGTH * parts.length
  if (!Array.isArray(value) && length <= bytesMax) for (const name of Object.keys(value)) length += textLength(name) + 1
  for (const part of parts) if (length <= bytesMax) length += jsonLength(part, bytesMax - length) + 1
  return length
}

export const isLongerThan = (value: Json, bytesMax: number): boolean => jsonLength(value, bytesMax) > bytesMax

function textLength(text: string): number {
  const written = JSON.stringify(text)
  const bytes = Buffer.byteLength(written)
  const isAscii = bytes === written.length
  return (isAscii ? bytes : 2 * bytes) + ESCAPE_LENGTH * (written.length - text.length - 2)
}

const PART_LENGTH = 200
/** For each character that escapes add. */
const ESCAPE_LENGTH = 4

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const SPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

// A class because a parse has a position.
class Reader {
  private at = 0
  /** The next escape and the next control character. A plain string contains neither. */
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
    do {
      if (this.next() !== QUOTE) throw new MalformedJson('JSON object member has no name')
      const name = this.string()
      if (!isKey(name)) throw new MalformedJson('JSON object has a name that is too long')
      if (name in object) throw new MalformedJson('JSON object names a member twice')
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

  /** A string with an escape or a control character. Searches from escape to escape, so that plain parts cost little. */
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
    const value = Number(literal)
    this.at = NUMBER.lastIndex
    if (!Number.isFinite(value)) throw new MalformedJson('JSON number is out of range')
    // RFC 7493 §2.2: the number we read must be the integer that was written, or none if none was.
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

  /** Skips white space; returns the next character code, NaN at the end. */
  private next(): number {
    const code = this.text.charCodeAt(this.at)
    if (code > 0x20) return code
    SPACE.lastIndex = this.at
    SPACE.test(this.text)
    this.at = SPACE.lastIndex
    return this.text.charCodeAt(this.at)
  }
}

/** Continues behind the last match, so that a text is searched once in total. A negated class takes half again as long. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\0-\x1f]/g

function nextControl(text: string, from: number): number {
  CONTROL.lastIndex = from
  return CONTROL.test(text) ? CONTROL.lastIndex - 1 : Number.POSITIVE_INFINITY
}

function found(index: number): number {
  return index < 0 ? Number.POSITIVE_INFINITY : index
}

/** Whether the written number is an integer: 18, 18.0 and 1.8e1 are, 17.99999999999999999 is not. */
function saysInteger(literal: string): boolean {
  if (!/[.eE]/.test(literal)) return true
  const [mantissa = '', exponent = '0'] = literal.split(/[eE]/)
  const point = mantissa.indexOf('.')
  const decimals = point < 0 ? 0 : mantissa.length - point - 1
  const digits = mantissa.replace('.', '')
  let last = digits.length - 1
  while (last >= 0 && !isNonZeroDigit(digits.charCodeAt(last))) last--
  // The position of the last significant digit: 0 for units, -1 for tenths.
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
