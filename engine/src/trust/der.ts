// A bounded reader of DER: definite minimal lengths, one-byte tags, no trailing bytes. Knows nothing of certificates.

import { LIMITS } from '../limits.ts'

export class MalformedDer extends Error {}

/** Larger than any real certificate. Callers that ignore malformed parts must not ignore this error. */
export class OversizedDer extends MalformedDer {}

/** An element. `header` is the offset of its tag; `start` and `end` bound its content. */
export interface Element {
  readonly tag: number
  readonly header: number
  readonly start: number
  readonly end: number
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const

export function elementAt(bytes: Uint8Array, offset: number, limit: number): Element {
  const tag = bytes[offset]
  const first = bytes[offset + 1]
  if (tag === undefined || first === undefined || offset + 2 > limit) throw new MalformedDer('truncated element')
  if ((tag & 0x1f) === 0x1f) throw new MalformedDer('multi-byte tag')
  if (first < 0x80) return within({ tag, header: offset, start: offset + 2, end: offset + 2 + first }, limit)
  const octets = first & 0x7f
  // X.690 §10.1: definite lengths only. Nothing that is accepted needs more than four octets.
  if (octets === 0 || octets > 4) throw new MalformedDer('indefinite or oversized length')
  const start = offset + 2 + octets
  if (start > limit) throw new MalformedDer('truncated length')
  let length = 0
  for (let at = offset + 2; at < start; at++) length = length * 256 + (bytes[at] ?? 0)
  if (length < 0x80 || bytes[offset + 2] === 0) throw new MalformedDer('length not minimal')
  return within({ tag, header: offset, start, end: start + length }, limit)
}

/** Returns the single element in `bytes`, which must have this tag. */
export function rootElement(bytes: Uint8Array, tag: number): Element {
  const root = elementAt(bytes, 0, bytes.length)
  if (root.tag !== tag || root.end !== bytes.length) throw new MalformedDer('unexpected outer element')
  return root
}

/** Returns the members of a constructed element. Throws if bytes remain after the last. For the entries of a CRL use elementAt. */
export function children(bytes: Uint8Array, parent: Element): readonly Element[] {
  const members: Element[] = []
  for (let offset = parent.start; offset < parent.end; ) {
    const member = elementAt(bytes, offset, parent.end)
    if (members.push(member) > LIMITS.derMembers) throw new OversizedDer('too many members')
    offset = member.end
  }
  return members
}

export function requireTag(element: Element | undefined, tag: number): Element {
  if (element === undefined || element.tag !== tag) throw new MalformedDer(`expected tag ${tag}`)
  return element
}

export function content(bytes: Uint8Array, element: Element): Uint8Array {
  return bytes.subarray(element.start, element.end)
}

/** Returns the whole element with tag and length. */
export function encoded(bytes: Uint8Array, element: Element): Uint8Array {
  return bytes.subarray(element.header, element.end)
}

export function readBoolean(bytes: Uint8Array, element: Element): boolean {
  const value = bytes[element.start]
  // X.690 §11.1: true is the octet FF.
  if (element.end - element.start !== 1 || (value !== 0 && value !== 0xff)) throw new MalformedDer('malformed boolean')
  return value === 0xff
}

/** Returns the content of an INTEGER, which must have its shortest form. Includes the sign bit. */
export function readInteger(bytes: Uint8Array, element: Element): Uint8Array {
  const value = content(bytes, element)
  const [first, second] = value
  if (first === undefined) throw new MalformedDer('empty integer')
  if (second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))) {
    throw new MalformedDer('integer not minimal')
  }
  return value
}

export function readSmallInteger(bytes: Uint8Array, element: Element): number {
  const value = readInteger(bytes, element)
  if (value.length > 4 || (value[0] ?? 0x80) >= 0x80) throw new MalformedDer('integer out of range')
  return value.reduce((sum, octet) => sum * 256 + octet, 0)
}

/** Reads a BIT STRING of whole octets, such as a signature or a key. */
export function readOctetBits(bytes: Uint8Array, element: Element): Uint8Array {
  if (bytes[element.start] !== 0 || element.end === element.start) throw new MalformedDer('partial octet')
  return bytes.subarray(element.start + 1, element.end)
}

export function readOid(bytes: Uint8Array, element: Element): string {
  const value = content(bytes, element)
  if (value.length === 0 || value.length > 64 || (value.at(-1) ?? 0x80) >= 0x80) throw new MalformedDer('malformed OID')
  const arcs: number[] = []
  let arc = 0
  let fresh = true
  for (const octet of value) {
    if (fresh && octet === 0x80) throw new MalformedDer('OID arc not minimal')
    arc = arc * 128 + (octet & 0x7f)
    if (arc > Number.MAX_SAFE_INTEGER) throw new MalformedDer('OID arc too large')
    fresh = octet < 0x80
    if (!fresh) continue
    if (arcs.length === 0) arcs.push(Math.min(2, Math.floor(arc / 40)), arc - 40 * Math.min(2, Math.floor(arc / 40)))
    else arcs.push(arc)
    arc = 0
  }
  return arcs.join('.')
}

/** Reads UTCTime or GeneralizedTime in the forms of RFC 5280 §4.1.2.5. Returns Unix seconds. */
export function readTime(bytes: Uint8Array, element: Element): number {
  const text = String.fromCharCode(...content(bytes, element).subarray(0, 16))
  const length = element.tag === TAG.utcTime ? 13 : element.tag === TAG.generalizedTime ? 15 : -1
  if (text.length !== length || !/^\d+Z$/.test(text)) throw new MalformedDer('malformed time')
  // RFC 5280 §4.1.2.5.1: two-digit years from 50 on are 19xx.
  const full = length === 15 ? text : (Number(text.slice(0, 2)) >= 50 ? '19' : '20') + text
  const [year, month, day, hour, minute, second] = [0, 4, 6, 8, 10, 12].map((at) =>
    Number(full.slice(at, at === 0 ? 4 : at + 2)),
  ) as [number, number, number, number, number, number]
  const milliseconds = Date.UTC(year, month - 1, day, hour, minute, second)
  const canonical = new Date(milliseconds).toISOString().replace(/[-:T]/g, '').slice(0, 14)
  if (`${canonical}Z` !== full) throw new MalformedDer('no such time')
  return milliseconds / 1000
}

function within(element: Element, limit: number): Element {
  if (element.end > limit) throw new MalformedDer('element longer than its container')
  return element
}
