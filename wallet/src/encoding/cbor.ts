// A CBOR writer (RFC 8949) that puts out exactly what it is told: deterministic heads by default, raw bytes where a caller
// wants something else. Reading is left to cbor-x.

export type CborValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly CborValue[]
  | ReadonlyMap<CborValue, CborValue>
  | Tagged
  | Raw

/** A tagged item, for instance tag 24 around embedded CBOR. */
export class Tagged {
  readonly tag: number
  readonly value: CborValue
  constructor(tag: number, value: CborValue) {
    this.tag = tag
    this.value = value
  }
}

/** Bytes that stand for themselves in the output: already encoded, or deliberately wrong. */
export class Raw {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

export function encodeCbor(value: CborValue): Uint8Array {
  return new Uint8Array(Buffer.concat(chunks(value)))
}

function chunks(value: CborValue): Uint8Array[] {
  if (value === null) return [Uint8Array.of(0xf6)]
  if (typeof value === 'boolean') return [Uint8Array.of(value ? 0xf5 : 0xf4)]
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return [float(value)]
  if (typeof value === 'number' || typeof value === 'bigint')
    return [value < 0 ? head(1, -1n - BigInt(value)) : head(0, value)]
  if (typeof value === 'string') return [head(3, Buffer.byteLength(value)), Buffer.from(value)]
  if (value instanceof Uint8Array) return [head(2, value.length), value]
  if (value instanceof Raw) return [value.bytes]
  if (value instanceof Tagged) return [head(6, value.tag), ...chunks(value.value)]
  if (value instanceof Map)
    return [head(5, value.size), ...[...value].flatMap(([key, member]) => [...chunks(key), ...chunks(member)])]
  if (Array.isArray(value)) return [head(4, value.length), ...value.flatMap(chunks)]
  throw new Error('bug: no CBOR form for this value')
}

/** The head of an item: major type and argument, in the shortest form. */
export function head(major: number, argument: number | bigint): Uint8Array {
  const value = BigInt(argument)
  const type = major << 5
  if (value < 24n) return Uint8Array.of(type | Number(value))
  const width = value < 0x100n ? 1 : value < 0x10000n ? 2 : value < 0x100000000n ? 4 : 8
  return wideHead(major, value, width)
}

/** The same with a chosen width in bytes, which makes non-minimal heads. */
export function wideHead(major: number, argument: number | bigint, width: 1 | 2 | 4 | 8): Uint8Array {
  const bytes = new Uint8Array(1 + width)
  bytes[0] = (major << 5) | { 1: 24, 2: 25, 4: 26, 8: 27 }[width]
  let rest = BigInt(argument)
  for (let index = width; index >= 1; index--) {
    bytes[index] = Number(rest & 0xffn)
    rest >>= 8n
  }
  return bytes
}

function float(value: number): Uint8Array {
  const bytes = Buffer.alloc(9)
  bytes[0] = 0xfb
  bytes.writeDoubleBE(value, 1)
  return new Uint8Array(bytes)
}

/** Tag 24: the value encoded and wrapped in a byte string. */
export function embedded(value: CborValue): Tagged {
  return new Tagged(24, encodeCbor(value))
}

export function mapOf(members: { readonly [member: string]: CborValue }): ReadonlyMap<CborValue, CborValue> {
  return new Map(Object.entries(members))
}

/** tdate of ISO/IEC 18013-5: tag 0, UTC, no fraction. */
export function dateTime(unixSeconds: number): Tagged {
  return new Tagged(0, new Date(unixSeconds * 1000).toISOString().replace(/\.\d{3}Z$/, 'Z'))
}

/** full-date: tag 1004 with YYYY-MM-DD. */
export function fullDate(text: string): Tagged {
  return new Tagged(1004, text)
}
