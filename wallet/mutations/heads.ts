// Writes heads of CBOR items (RFC 8949 3), also wrong heads, which no library writes.

/** The head of an item: major type and argument, in the shortest form. */
export function head(major: number, argument: number | bigint): Uint8Array {
  const value = BigInt(argument)
  const type = major << 5
  if (value < 24n) return Uint8Array.of(type | Number(value))
  const width = value < 0x100n ? 1 : value < 0x10000n ? 2 : value < 0x100000000n ? 4 : 8
  return wideHead(major, value, width)
}

/** The head of an item with an argument of a chosen width in bytes, also if a shorter head would do. */
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
