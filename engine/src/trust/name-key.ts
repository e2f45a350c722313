// Are these two distinguished names the same? RFC 5280 §7.1: texts are compared as they are read, not as they are encoded.
// Equal names only make a candidate: who issued what is decided by signatures.

import { isAscii } from 'node:buffer'
import { decodeUtf8, isShowable } from '../bytes.ts'
import { LIMITS } from '../limits.ts'
import { children, content, demand, type Element, encoded, MalformedDer, rootElement, TAG } from './der.ts'

/** One text for each name, whichever way it is written. A name that cannot be read is the same as its own bytes alone. */
export function nameKey(name: Uint8Array): string {
  if (name.length <= LIMITS.preparedNameBytes) {
    try {
      return JSON.stringify(children(name, rootElement(name, TAG.sequence)).map((part) => relativeKey(name, part)))
    } catch (error) {
      if (!(error instanceof MalformedDer)) throw error
    }
  }
  return `bytes ${latin1(name)}`
}

/** The attributes of one level are a set: in DER their order follows from the very encodings that may differ. */
function relativeKey(name: Uint8Array, relative: Element): readonly string[] {
  const keys = children(name, demand(relative, TAG.set)).map((pair) => {
    const [type, value, ...rest] = children(name, demand(pair, TAG.sequence))
    if (value === undefined || rest.length > 0) throw new MalformedDer('malformed attribute')
    return `${latin1(content(name, demand(type, TAG.oid)))}=${valueKey(name, value)}`
  })
  return keys.sort()
}

function valueKey(name: Uint8Array, value: Element): string {
  const text = textOf(content(name, value), value.tag)
  return text === null ? `bytes ${latin1(encoded(name, value))}` : `text ${prepared(text)}`
}

/** §7.1 (a): PrintableString and UTF8String; every other kind is compared by its bytes. */
function textOf(bytes: Uint8Array, tag: number): string | null {
  if (tag !== TAG.utf8String && tag !== TAG.printableString) return null
  const text = decodeUtf8(bytes)
  return text !== null && isShowable(text) ? text : null
}

/** RFC 4518 §2: compatibility forms, case, then spaces that say nothing. */
function prepared(text: string): string {
  return folded(text).trim().replace(/ {2,}/g, ' ')
}

function folded(text: string): string {
  if (isAscii(Buffer.from(text))) return text.toLowerCase()
  // By way of capitals, so that letters with several small forms become one.
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
