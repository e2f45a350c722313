// Reads the CBOR of a device request, and keeps the bytes of each item: what readers sign is what was sent.

import { demand, type RequestFault } from '../refusal.ts'

export interface CborItem {
  readonly raw: Uint8Array
  readonly value: number | string | boolean | null | Uint8Array | readonly CborItem[] | CborMembers
  /** The tag in front of it, where there is one. */
  readonly tag: number | null
}

export type CborMembers = ReadonlyMap<string | number, CborItem>

/** The one item that fills the bytes; definite lengths only. */
export function readCbor(bytes: Uint8Array, fault: RequestFault): CborItem {
  const buffer = Buffer.from(bytes)
  const { item, end } = readItem(buffer, 0, fault)
  demand(end === buffer.length, fault, 'CBOR has something after its end')
  return item
}

interface Reading {
  readonly item: CborItem
  readonly end: number
}

function readItem(bytes: Buffer, start: number, fault: RequestFault): Reading {
  const first = bytes[start]
  demand(first !== undefined && (first & 31) < 28, fault, 'CBOR ends early')
  const width = { 24: 1, 25: 2, 26: 4, 27: 6 }[first & 31] ?? 0
  demand((first & 31) !== 27 && start + 1 + width <= bytes.length, fault, 'CBOR ends early')
  const argument = width === 0 ? first & 31 : bytes.readUIntBE(start + 1, width)
  const at = start + 1 + width
  const plain = (value: CborItem['value'], end = at): Reading => ({
    item: { raw: bytes.subarray(start, end), value, tag: null },
    end,
  })
  switch (first >> 5) {
    case 0:
      return plain(argument)
    case 1:
      return plain(-1 - argument)
    case 2:
    case 3: {
      demand(at + argument <= bytes.length, fault, 'CBOR ends early')
      const content = bytes.subarray(at, at + argument)
      return plain(first >> 5 === 2 ? new Uint8Array(content) : content.toString('utf8'), at + argument)
    }
    case 4: {
      const { items, end } = readItems(bytes, at, argument, fault)
      return plain(items, end)
    }
    case 5: {
      const { items, end } = readItems(bytes, at, 2 * argument, fault)
      return plain(members(items, fault), end)
    }
    case 6: {
      const { item, end } = readItem(bytes, at, fault)
      return { item: { raw: bytes.subarray(start, end), value: item.value, tag: argument }, end }
    }
    default: {
      const value = ({ 20: false, 21: true, 22: null } as { readonly [minor: number]: boolean | null })[argument]
      demand(value !== undefined, fault, 'CBOR has a simple value that is not used here')
      return plain(value)
    }
  }
}

function readItems(bytes: Buffer, start: number, count: number, fault: RequestFault) {
  const items: CborItem[] = []
  let end = start
  for (let index = 0; index < count; index++) {
    const read = readItem(bytes, end, fault)
    items.push(read.item)
    end = read.end
  }
  return { items, end }
}

function members(items: readonly CborItem[], fault: RequestFault): CborMembers {
  const map = new Map<string | number, CborItem>()
  for (let index = 0; index < items.length; index += 2) {
    const [key, value] = [items[index]?.value, items[index + 1]]
    demand((typeof key === 'string' || typeof key === 'number') && value !== undefined, fault, 'a key of another kind')
    demand(!map.has(key), fault, 'a key twice')
    map.set(key, value)
  }
  return map
}

export function membersOf(item: CborItem | undefined, fault: RequestFault): CborMembers {
  demand(item?.value instanceof Map, fault, 'a map is expected')
  return item.value
}

export function itemsOf(item: CborItem | undefined, fault: RequestFault): readonly CborItem[] {
  demand(Array.isArray(item?.value), fault, 'an array is expected')
  return item.value
}

export function bytesOf(item: CborItem | undefined, fault: RequestFault): Uint8Array {
  demand(item?.value instanceof Uint8Array, fault, 'bytes are expected')
  return item.value
}

export function textOf(item: CborItem | undefined, fault: RequestFault): string {
  demand(typeof item?.value === 'string', fault, 'a text is expected')
  return item.value
}
