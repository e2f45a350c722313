// Reads the claims of a list in CWT form. Identifiers (ISO 18013-5 §12.3.6) remain ranges of the payload, because a
// list has hundreds of thousands of them.

import { type CborBudget, type CborMap, type CborValue, cborBudget, MalformedCbor, Reader } from '../cbor/cbor.ts'
import { LIMITS } from '../limits.ts'
import { inOrder, isSameRange, type SortedRanges, sortRanges } from './sorted-ranges.ts'

const IDENTIFIER_LIST = 65530
/** CBOR items per identifier: two, and additions of the issuer. */
const ITEMS_EACH = 16
const ITEMS_MAX = 3 * LIMITS.oneListItems

export interface ListClaims {
  /** All claims except the identifier list. */
  readonly claims: CborMap
  /** Ranges of the payload; null if the payload has no identifier list. */
  readonly identifiers: SortedRanges | null
}

/**
 * `hasIdentifiers`: whether this is an identifier list. If so, the budget grows with the number of identifiers;
 * otherwise this claim is read like any other. Throws MalformedCbor.
 */
export function readListClaims(payload: Uint8Array, hasIdentifiers: boolean): ListClaims {
  const budget = cborBudget()
  const reader = new Reader(payload, budget, true)
  const claims = new Map<string | number, CborValue>()
  let identifiers: SortedRanges | null = null
  let hasList = false
  for (let left = reader.mapSize(); left > 0; left--) {
    const key = reader.key(1)
    if (claims.has(key) || (key === IDENTIFIER_LIST && hasList)) throw new MalformedCbor('CBOR map has a key twice')
    if (hasIdentifiers && key === IDENTIFIER_LIST && reader.isAtMap()) {
      hasList = true
      identifiers = readIdentifierList(reader, payload, budget)
    } else claims.set(key, reader.item(1))
    if (claims.size > LIMITS.integerKeys) throw new MalformedCbor('CBOR map has too many keys')
  }
  reader.end()
  return { claims, identifiers }
}

function readIdentifierList(reader: Reader, payload: Uint8Array, budget: CborBudget): SortedRanges | null {
  const members = new Set<string | number>()
  let identifiers: SortedRanges | null = null
  for (let left = reader.mapSize(); left > 0; left--) {
    const key = reader.key(2)
    if (members.has(key)) throw new MalformedCbor('CBOR map has a key twice')
    if (members.add(key).size > LIMITS.integerKeys) throw new MalformedCbor('CBOR map has too many keys')
    if (key === 'identifiers' && reader.isAtMap()) identifiers = readIdentifiers(reader, payload, budget)
    else reader.item(2)
  }
  return identifiers
}

function readIdentifiers(reader: Reader, payload: Uint8Array, budget: CborBudget): SortedRanges {
  const count = reader.mapSize()
  if (count > LIMITS.oneListItems) throw new MalformedCbor('an identifier list has too many entries')
  budget.itemsLeft = Math.min(ITEMS_MAX, budget.itemsLeft + ITEMS_EACH * count)
  const found = { starts: new Uint32Array(count), ends: new Uint32Array(count) }
  const isText = new Uint8Array(count)
  for (let at = 0; at < count; at++) {
    const { start, text } = reader.string()
    found.starts[at] = start
    found.ends[at] = reader.position
    isText[at] = text ? 1 : 0
    if (!reader.skipEmptyMap()) reader.item(3)
  }
  const order = sortRanges(payload, found)
  const sorted = { starts: inOrder(found.starts, order), ends: inOrder(found.ends, order) }
  // An identifier as text and the same one as bytes are two keys. Twice as text, or twice as bytes, is a duplicate.
  for (let at = 1; at < count; at++) {
    if (!isSameRange(payload, sorted, at - 1, at)) continue
    const isTwice = isText[order[at - 1] ?? 0] === isText[order[at] ?? 0]
    if (isTwice || (at > 1 && isSameRange(payload, sorted, at - 2, at)))
      throw new MalformedCbor('CBOR map has a key twice')
  }
  return sorted
}
