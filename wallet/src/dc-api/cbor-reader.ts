// Reads the CBOR of a device request with cbor2, and keeps the received bytes of what readers sign.

import { decode, getEncoded, Tag } from 'cbor2'
import { demand, type RequestFault } from '../refusal.ts'

export type CborItem = unknown
export type CborMembers = ReadonlyMap<unknown, CborItem>

/** Reads the one item that fills the bytes. Refuses indefinite lengths and repeated keys, and interprets no tag. */
export function readCbor(bytes: Uint8Array, fault: RequestFault): CborItem {
  try {
    return decode(new Uint8Array(bytes), {
      preferMap: true,
      saveOriginal: true,
      ignoreGlobalTags: true,
      rejectDuplicateKeys: true,
      rejectStreaming: true,
    })
  } catch {
    return demand(false, fault, 'CBOR cannot be read')
  }
}

/** Returns the received bytes of an item. */
export function sentBytes(item: CborItem, fault: RequestFault): Uint8Array {
  const encoded = typeof item === 'object' && item !== null ? getEncoded(item) : undefined
  demand(encoded !== undefined, fault, 'an item is missing')
  return encoded
}

/** Returns the content of tag 24. */
export function embeddedBytes(item: CborItem, fault: RequestFault): Uint8Array {
  demand(item instanceof Tag && item.tag === 24, fault, 'embedded CBOR is expected')
  return bytesOf(item.contents, fault)
}

export function membersOf(item: CborItem, fault: RequestFault): CborMembers {
  demand(item instanceof Map, fault, 'a map is expected')
  return item
}

export function itemsOf(item: CborItem, fault: RequestFault): readonly CborItem[] {
  demand(Array.isArray(item), fault, 'an array is expected')
  return item
}

export function bytesOf(item: CborItem, fault: RequestFault): Uint8Array {
  demand(item instanceof Uint8Array, fault, 'bytes are expected')
  return item
}

export function textOf(item: CborItem, fault: RequestFault): string {
  demand(typeof item === 'string', fault, 'a text is expected')
  return item
}
