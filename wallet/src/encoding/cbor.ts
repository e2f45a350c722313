// Encodes CBOR (RFC 8949) with cbor2, with maps in order and raw bytes where a caller wants them.

import { encode, TypeEncoderMap, type Writer } from 'cbor2'

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
  toCBOR(): [number, CborValue] {
    return [this.tag, this.value]
  }
}

/** Bytes that are copied to the output: already encoded, or deliberately wrong. */
export class Raw {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
  toCBOR(writer: Writer): undefined {
    writer.write(this.bytes)
  }
}

/** cbor2 treats a Buffer of Node as an object with toJSON. */
const types = new TypeEncoderMap()
types.registerEncoder(Buffer, (buffer: Buffer) => [Number.NaN, new Uint8Array(buffer)])

export function encodeCbor(value: CborValue): Uint8Array {
  return new Uint8Array(encode(value, { types }))
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
