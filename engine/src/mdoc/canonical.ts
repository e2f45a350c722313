// How are requests encoded that we write ourselves? Deterministic CBOR (RFC 8949 §4.2.1) of whole structures: shortest heads,
// keys in the order of their bytes.

import { concat, encodeUtf8 } from '../bytes.ts'
import { writeHead } from './encode.ts'

export type Encodable =
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | readonly Encodable[]
  | ReadonlyMap<string | number, Encodable>
  /** An item that is encoded already. */
  | { readonly encoded: Uint8Array }

export function encodeCbor(value: Encodable): Uint8Array {
  if (value === null) return Uint8Array.of(0xf6)
  if (typeof value === 'boolean') return Uint8Array.of(value ? 0xf5 : 0xf4)
  if (typeof value === 'number') return encodeInteger(value)
  if (typeof value === 'string') return encodeText(value)
  if (value instanceof Uint8Array) return concat(head(2, value.length), value)
  if (value instanceof Map) return encodeMap(value)
  if (isArray(value)) return concat(head(4, value.length), ...value.map(encodeCbor))
  if ('encoded' in value) return value.encoded
  throw new Error('bug: no CBOR form for this value')
}

/** A map from the members of an object; those that are undefined are left out. */
export function mapOf(members: { readonly [name: string]: Encodable | undefined }): ReadonlyMap<string, Encodable> {
  const entries = Object.entries(members)
  return new Map(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
}

function encodeInteger(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || Math.abs(value) > 0xffffffff)
    throw new Error('bug: a number that is not written here')
  return value < 0 ? head(1, -1 - value) : head(0, value)
}

function encodeText(text: string): Uint8Array {
  const bytes = encodeUtf8(text)
  return concat(head(3, bytes.length), bytes)
}

function encodeMap(map: ReadonlyMap<string | number, Encodable>): Uint8Array {
  const entries = [...map].map(([key, value]) => ({ key: encodeCbor(key), value: encodeCbor(value) }))
  const sorted = entries.toSorted((a, b) => Buffer.compare(a.key, b.key))
  return concat(head(5, map.size), ...sorted.flatMap(({ key, value }) => [key, value]))
}

function isArray(value: object): value is readonly Encodable[] {
  return Array.isArray(value)
}

function head(major: number, argument: number): Uint8Array {
  const output = Buffer.alloc(5)
  return output.subarray(0, writeHead(output, 0, { major, argument }))
}
