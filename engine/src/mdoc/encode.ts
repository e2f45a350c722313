// How are the structures encoded that we build ourselves: transcripts and what signatures cover? Deterministic CBOR
// (RFC 8949 §4.2.1) of the few kinds they need; received parts are embedded as the bytes they came in.

import { concat, encodeUtf8 } from '../bytes.ts'

export const NULL: Uint8Array = Uint8Array.of(0xf6)

/** An array of items that are already encoded. */
export function encodeArray(...items: readonly Uint8Array[]): Uint8Array {
  return concat(head(4, items.length), ...items)
}

export function encodeText(text: string): Uint8Array {
  const bytes = encodeUtf8(text)
  return concat(head(3, bytes.length), bytes)
}

export function encodeBytes(bytes: Uint8Array): Uint8Array {
  return concat(head(2, bytes.length), bytes)
}

/** #6.24(bstr): an encoded item wrapped as data (RFC 8949 §3.4.5.1). */
export function encodeEmbedded(item: Uint8Array): Uint8Array {
  return concat(EMBEDDED, head(2, item.length), item)
}

const EMBEDDED = Uint8Array.of(0xd8, 0x18)

function head(major: number, argument: number): Uint8Array {
  const initial = major << 5
  if (argument < 24) return Uint8Array.of(initial | argument)
  if (argument < 0x100) return Uint8Array.of(initial | 24, argument)
  if (argument < 0x10000) return Uint8Array.of(initial | 25, argument >> 8, argument & 0xff)
  const bytes = Buffer.alloc(5, initial | 26)
  bytes.writeUInt32BE(argument, 1)
  return bytes
}
