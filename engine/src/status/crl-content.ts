// Reads a full CRL (RFC 5280 §5) and sorts its serial numbers.

import { LIMITS } from '../limits.ts'
import {
  children,
  content,
  type Element,
  elementAt,
  encoded,
  MalformedDer,
  readBoolean,
  readOctetBits,
  readOid,
  readSmallInteger,
  readTime,
  requireTag,
  rootElement,
  TAG,
} from '../trust/der.ts'
import type { Extension } from '../trust/extensions.ts'
import { nameKey } from '../trust/name-key.ts'
import { inOrder, isSameRange, type SortedRanges, sortRanges } from './sorted-ranges.ts'

export interface Crl {
  readonly signed: Uint8Array
  readonly algorithm: Uint8Array
  readonly innerAlgorithm: Uint8Array
  readonly signature: Uint8Array
  /** The name of the issuer, as `nameKey`. */
  readonly issuerKey: string
  readonly thisUpdate: number
  readonly nextUpdate: number
  readonly extensions: ReadonlyMap<string, Extension>
  /** The DER that the ranges in `revoked` refer to. */
  readonly der: Uint8Array
  /** The serial numbers of revoked certificates. */
  readonly revoked: SortedRanges
  /** 1 for the first entry of a serial number if all entries of that number are on hold. */
  readonly onHold: Uint8Array
}

const REASON_CODE = '2.5.29.21'
const CERTIFICATE_HOLD = 6

/** Throws MalformedDer, even if only one entry is unreadable. */
export function readCrl(der: Uint8Array): Crl {
  const [tbs, algorithm, signature, ...rest] = children(der, rootElement(der, TAG.sequence))
  const body = requireTag(tbs, TAG.sequence)
  const members = [...children(der, body)]
  const [version, innerAlgorithm, issuer, thisUpdate, nextUpdate] = members.splice(0, 5)
  if (rest.length > 0 || thisUpdate === undefined || nextUpdate === undefined) throw new MalformedDer('malformed CRL')
  if (readSmallInteger(der, requireTag(version, TAG.integer)) !== 1) throw new MalformedDer('not a v2 CRL')
  const entries = members[0]?.tag === TAG.sequence ? (members.shift() ?? null) : null
  const extensions = requireTag(members.shift(), 0xa0)
  if (members.length > 0) throw new MalformedDer('malformed CRL')
  return {
    signed: encoded(der, body),
    algorithm: bounded(encoded(der, requireTag(algorithm, TAG.sequence))),
    innerAlgorithm: bounded(encoded(der, requireTag(innerAlgorithm, TAG.sequence))),
    signature: bounded(readOctetBits(der, requireTag(signature, TAG.bitString)), LIMITS.listSignatureBytes),
    issuerKey: nameKey(bounded(encoded(der, requireTag(issuer, TAG.sequence)))),
    thisUpdate: readTime(der, thisUpdate),
    nextUpdate: readTime(der, nextUpdate),
    extensions: readExtensions(der, elementAt(der, extensions.start, extensions.end)),
    der,
    ...readEntries(der, entries),
  }
}

/** Refuses a long part: only the entries of a CRL may be longer than a certificate. */
function bounded(part: Uint8Array, bytesMax: number = LIMITS.certificateBytes): Uint8Array {
  if (part.length > bytesMax) throw new MalformedDer('a part of a CRL is too long')
  return part
}

function readEntries(der: Uint8Array, entries: Element | null): Pick<Crl, 'revoked' | 'onHold'> {
  const starts: number[] = []
  const ends: number[] = []
  const holds: number[] = []
  for (let offset = entries?.start ?? 0; offset < (entries?.end ?? 0); ) {
    const entry = requireTag(elementAt(der, offset, entries?.end ?? 0), TAG.sequence)
    const number = requireTag(elementAt(der, entry.start, entry.end), TAG.integer)
    const date = elementAt(der, number.end, entry.end)
    const reason = date.end === entry.end ? null : readReason(der, elementAt(der, date.end, entry.end))
    starts.push(number.start)
    ends.push(number.end)
    holds.push(reason === CERTIFICATE_HOLD ? 1 : 0)
    if (starts.length > LIMITS.oneListItems) throw new MalformedDer('a CRL has too many entries')
    offset = entry.end
  }
  const found = { starts: Uint32Array.from(starts), ends: Uint32Array.from(ends) }
  const order = sortRanges(der, found)
  const revoked = { starts: inOrder(found.starts, order), ends: inOrder(found.ends, order) }
  const onHold = Uint8Array.from(order, (position) => holds[position] ?? 0)
  // Walks from the end, so that the first entry of each number has the result. A list may repeat numbers, and the event
  // loop looks them up often.
  for (let at = onHold.length - 2; at >= 0; at--)
    if (onHold[at + 1] === 0 && isSameRange(der, revoked, at, at + 1)) onHold[at] = 0
  return { revoked, onHold }
}

/** The extensions of nearly every entry in a long CRL: only a reason, and its value is the next byte. */
const REASON_ALONE = Uint8Array.of(0x30, 0x0c, 0x30, 0x0a, 0x06, 0x03, 0x55, 0x1d, 0x15, 0x04, 0x03, 0x0a, 0x01)

function readReason(der: Uint8Array, list: Element): number | null {
  const last = list.end - 1
  if (isAt(der, { start: list.header, end: last }, REASON_ALONE)) return der[last] ?? null
  const extensions = readExtensions(der, list)
  for (const [oid, extension] of extensions) {
    // RFC 5280 §5.3.3: an indirect CRL also lists certificates of other issuers.
    if (extension.critical && oid !== REASON_CODE) throw new MalformedDer('unprocessed critical entry extension')
  }
  return extensions.get(REASON_CODE)?.value[2] ?? null
}

function readExtensions(der: Uint8Array, list: Element): ReadonlyMap<string, Extension> {
  const found = new Map<string, Extension>()
  for (const entry of children(der, requireTag(list, TAG.sequence))) {
    const members = children(der, requireTag(entry, TAG.sequence))
    const flag = members.length === 3 ? requireTag(members[1], TAG.boolean) : null
    const value = content(der, requireTag(members.at(-1), TAG.octetString))
    found.set(readOid(der, requireTag(members[0], TAG.oid)), {
      critical: flag !== null && readBoolean(der, flag),
      value,
    })
  }
  return found
}

/** Compares in place: a list has hundreds of thousands of entries, so no view is created for each. */
function isAt(der: Uint8Array, { start, end }: Pick<Element, 'start' | 'end'>, expected: Uint8Array): boolean {
  if (end - start !== expected.length) return false
  for (let index = 0; index < expected.length; index++) if (der[start + index] !== expected[index]) return false
  return true
}
