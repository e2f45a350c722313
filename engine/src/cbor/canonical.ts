// Encodes our own requests as deterministic CBOR (RFC 8949 §4.2.1): shortest heads, keys in byte order.

import { writeHead } from './encode.ts'

export type Encodable =
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | readonly Encodable[]
  | ReadonlyMap<string | number, Encodable>
  /** An item that is already encoded. */
  | { readonly encoded: Uint8Array }

/**
 * Computes the size first and writes into one buffer. This must be cheap, because every page load encodes a request.
 */
export function encodeCbor(value: Encodable): Uint8Array {
  const output = Buffer.allocUnsafe(sizeMax(value))
  return output.subarray(0, write(output, 0, value))
}

/** Our items never need more than four argument bytes. */
const HEAD_BYTES_MAX = 5

function sizeMax(value: Encodable): number {
  if (typeof value === 'string') return HEAD_BYTES_MAX + value.length * 3
  if (value === null || typeof value !== 'object') return HEAD_BYTES_MAX
  if (value instanceof Uint8Array) return HEAD_BYTES_MAX + value.length
  let size = HEAD_BYTES_MAX
  if (value instanceof Map) for (const [key, item] of value) size += sizeMax(key) + sizeMax(item)
  else if (isArray(value)) for (const item of value) size += sizeMax(item)
  else if ('encoded' in value) return value.encoded.length
  return size
}

/** Writes the value at `at`. Returns the position after it. */
function write(output: Buffer, at: number, value: Encodable): number {
  if (value === null) return output.writeUInt8(0xf6, at)
  if (typeof value === 'boolean') return output.writeUInt8(value ? 0xf5 : 0xf4, at)
  if (typeof value === 'number') return writeInteger(output, at, value)
  if (typeof value === 'string') {
    const start = writeHead(output, at, { major: 3, argument: Buffer.byteLength(value) })
    return start + output.write(value, start)
  }
  if (value instanceof Uint8Array)
    return writeBytes(output, writeHead(output, at, { major: 2, argument: value.length }), value)
  if (value instanceof Map) return writeMap(output, at, value)
  if (isArray(value)) {
    let next = writeHead(output, at, { major: 4, argument: value.length })
    for (const item of value) next = write(output, next, item)
    return next
  }
  if ('encoded' in value) return writeBytes(output, at, value.encoded)
  throw new Error('bug: no CBOR form for this value')
}

function writeBytes(output: Buffer, at: number, bytes: Uint8Array): number {
  output.set(bytes, at)
  return at + bytes.length
}

function writeInteger(output: Buffer, at: number, value: number): number {
  if (!Number.isSafeInteger(value) || Math.abs(value) > 0xffffffff)
    throw new Error('bug: only integers of 32 bits can be encoded')
  return writeHead(output, at, value < 0 ? { major: 1, argument: -1 - value } : { major: 0, argument: value })
}

function writeMap(output: Buffer, at: number, map: ReadonlyMap<string | number, Encodable>): number {
  const entries = [...map].map(([key, value]) => ({ key: encodeCbor(key), value }))
  if (entries.length > 1) entries.sort((a, b) => Buffer.compare(a.key, b.key))
  let next = writeHead(output, at, { major: 5, argument: map.size })
  for (const { key, value } of entries) next = write(output, writeBytes(output, next, key), value)
  return next
}

/** Returns a map of an object's members without undefined ones. */
export function mapOf(members: { readonly [name: string]: Encodable | undefined }): ReadonlyMap<string, Encodable> {
  const entries = Object.entries(members)
  return new Map(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
}

function isArray(value: object): value is readonly Encodable[] {
  return Array.isArray(value)
}
