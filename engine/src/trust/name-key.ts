// Compares distinguished names by their text, whatever its encoding (RFC 5280 §7.1). Equal names only make a candidate;
// signatures decide which certificate issued another.

import { isAscii } from 'node:buffer'
import { hash } from 'node:crypto'
import { decodeUtf8, isShowable } from '../bytes.ts'
import { LIMITS } from '../limits.ts'
import { children, content, type Element, encoded, MalformedDer, requireTag, rootElement, TAG } from './der.ts'

/** Returns the same key for equal names in any encoding. An unreadable name equals only its own bytes. */
export function nameKey(name: Uint8Array): string {
  if (name.length <= LIMITS.preparedNameBytes) {
    try {
      return JSON.stringify(children(name, rootElement(name, TAG.sequence)).map((part) => relativeKey(name, part)))
    } catch (error) {
      if (!(error instanceof MalformedDer)) throw error
    }
  }
  return name.length < LIMITS.keyLength ? `bytes ${latin1(name)}` : `hash ${hash('sha256', name, 'base64url')}`
}

/** The attributes of one level are a set: their order in DER depends on the encodings, which may differ. */
function relativeKey(name: Uint8Array, relative: Element): readonly string[] {
  const keys = children(name, requireTag(relative, TAG.set)).map((pair) => {
    const [type, value, ...rest] = children(name, requireTag(pair, TAG.sequence))
    if (value === undefined || rest.length > 0) throw new MalformedDer('malformed attribute')
    return `${latin1(content(name, requireTag(type, TAG.oid)))}=${valueKey(name, value)}`
  })
  return keys.sort()
}

function valueKey(name: Uint8Array, value: Element): string {
  const text = textOf(content(name, value), value.tag)
  return text === null ? `bytes ${latin1(encoded(name, value))}` : `text ${prepared(text)}`
}

/** §7.1 (a): PrintableString and UTF8String have a text. Other kinds are compared by their bytes. */
function textOf(bytes: Uint8Array, tag: number): string | null {
  if (tag !== TAG.utf8String && tag !== TAG.printableString) return null
  const text = decodeUtf8(bytes)
  return text !== null && isShowable(text) ? text : null
}

/** RFC 4518 §2: normalizes compatibility forms, case and insignificant spaces. */
function prepared(text: string): string {
  return folded(text).trim().replace(/ {2,}/g, ' ')
}

function folded(text: string): string {
  if (isAscii(Buffer.from(text))) return text.toLowerCase()
  // Goes through upper case, so that letters with several lower-case forms become one.
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
