// Reads application/x-www-form-urlencoded strictly and in one pass. UTF-8 only, and no field twice.

import { isAscii } from 'node:buffer'
import { decodeUtf8, isKey, Malformed } from './bytes.ts'
import { LIMITS } from './limits.ts'

export class MalformedForm extends Malformed {
  override name = 'MalformedForm'
}

const AMPERSAND = 0x26
const EQUALS = 0x3d
const PLUS = 0x2b
const PERCENT = 0x25

/** Throws MalformedForm. Subtracts the escapes that it reads from `escapes`. */
export function parseForm(
  body: Uint8Array,
  escapes: Escapes = { left: LIMITS.formEscapes },
): ReadonlyMap<string, string> {
  if (body.length > LIMITS.bodyBytes) throw new MalformedForm('the form is too large')
  // A Buffer searches several times faster than other arrays of bytes.
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const fields = new Map<string, string>()
  let count = 0
  for (let start = 0; start <= bytes.length; ) {
    if (++count > LIMITS.fields) throw new MalformedForm('the form has too many fields')
    const next = bytes.indexOf(AMPERSAND, start)
    const end = next < 0 ? bytes.length : next
    if (end > start) addField(fields, bytes.subarray(start, end), escapes)
    start = end + 1
  }
  return fields
}

/** How many escapes the form may still have. */
export interface Escapes {
  left: number
}

function addField(fields: Map<string, string>, pair: Buffer, escapes: Escapes): void {
  const equals = pair.indexOf(EQUALS)
  const name = decodeComponent(equals < 0 ? pair : pair.subarray(0, equals), escapes)
  if (!isKey(name)) throw new MalformedForm('the form has a field with too long a name')
  // RFC 6749 §3.1: no parameter twice. Otherwise a check and its use could read different values.
  if (fields.has(name)) throw new MalformedForm('the form names a field twice')
  fields.set(name, equals < 0 ? '' : decodeComponent(pair.subarray(equals + 1), escapes))
}

function decodeComponent(bytes: Buffer, escapes: Escapes): string {
  const isPlain = !bytes.includes(PLUS) && !bytes.includes(PERCENT)
  const text = isPlain ? decodeUtf8(bytes) : decodeEscaped(bytes, escapes)
  if (text === null) throw new MalformedForm('the form is not UTF-8 text')
  return text
}

function decodeEscaped(bytes: Buffer, escapes: Escapes): string | null {
  const { plain, hasWide } = unescaped(bytes.toString('latin1'), escapes)
  // ASCII bytes are already the text. Other bytes are decoded strictly.
  return !hasWide && isAscii(bytes) ? plain : decodeUtf8(Buffer.from(plain, 'latin1'))
}

/** Decodes escapes in a text of one character per byte. Jumps from escape to escape, so that plain parts cost little. */
function unescaped(bytes: string, escapes: Escapes): { readonly plain: string; readonly hasWide: boolean } {
  let plain = ''
  let hasWide = false
  let from = 0
  let percent = nextOf(bytes, '%', 0)
  let plus = nextOf(bytes, '+', 0)
  for (let at = Math.min(percent, plus); at < bytes.length; at = Math.min(percent, plus)) {
    escapes.left -= 1
    if (escapes.left < 0) throw new MalformedForm('the form has too many escapes')
    if (at === plus) {
      plain += `${bytes.slice(from, at)} `
      from = at + 1
      plus = nextOf(bytes, '+', from)
    } else {
      const code = (HEX[bytes.charCodeAt(at + 1)] ?? BROKEN) * 16 + (HEX[bytes.charCodeAt(at + 2)] ?? BROKEN)
      if (code > 0xff) throw new MalformedForm('the form has a broken percent-encoding')
      if (code > 0x7f) hasWide = true
      plain += bytes.slice(from, at) + String.fromCharCode(code)
      from = at + 3
      percent = nextOf(bytes, '%', from)
    }
  }
  return { plain: plain + bytes.slice(from), hasWide }
}

function nextOf(bytes: string, character: '%' | '+', from: number): number {
  const at = bytes.indexOf(character, from)
  return at < 0 ? bytes.length : at
}

const BROKEN = 0x1000
/** The value of a hexadecimal digit, by the code of its character. */
const HEX = Uint16Array.from({ length: 256 }, (_, code) => {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase())
  return value < 0 ? BROKEN : value
})
