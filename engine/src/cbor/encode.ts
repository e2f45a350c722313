// Encodes structures that we build around received bytes as deterministic CBOR (RFC 8949 §4.2.1).

/** A part of a structure: text, a byte string, null, or an encoded item. */
export type Part = string | null | { readonly bytes: Uint8Array } | { readonly encoded: Uint8Array }

/** Encodes an array of these parts. */
export function encodeArray(...parts: readonly Part[]): Uint8Array {
  const output = Buffer.allocUnsafe(parts.reduce((size, part) => size + sizeMax(part), HEAD_BYTES_MAX))
  let at = writeHead(output, 0, { major: 4, argument: parts.length })
  for (const part of parts) at = writePart(output, at, part)
  return output.subarray(0, at)
}

/** #6.24(bstr): wraps an encoded item as data (RFC 8949 §3.4.5.1). */
export function encodeEmbedded(item: Uint8Array): Uint8Array {
  const output = Buffer.allocUnsafe(2 + HEAD_BYTES_MAX + item.length)
  const at = writeHead(output, 0, { major: 6, argument: 24 })
  return output.subarray(0, writePart(output, at, { bytes: item }))
}

/** Our items never need more than four argument bytes, because they come from one bounded message. */
const HEAD_BYTES_MAX = 5

function sizeMax(part: Part): number {
  if (part === null) return 1
  if (typeof part === 'string') return HEAD_BYTES_MAX + part.length * 3
  return 'bytes' in part ? HEAD_BYTES_MAX + part.bytes.length : part.encoded.length
}

function writePart(output: Buffer, at: number, part: Part): number {
  if (part === null) return output.writeUInt8(0xf6, at)
  if (typeof part === 'string') {
    const start = writeHead(output, at, { major: 3, argument: Buffer.byteLength(part) })
    return start + output.write(part, start)
  }
  const start = 'bytes' in part ? writeHead(output, at, { major: 2, argument: part.bytes.length }) : at
  const content = 'bytes' in part ? part.bytes : part.encoded
  output.set(content, start)
  return start + content.length
}

export function writeHead(
  output: Buffer,
  at: number,
  { major, argument }: { major: number; argument: number },
): number {
  const initial = major << 5
  if (argument < 24) return output.writeUInt8(initial | argument, at)
  if (argument < 0x100) return output.writeUInt8(argument, output.writeUInt8(initial | 24, at))
  if (argument < 0x10000) return output.writeUInt16BE(argument, output.writeUInt8(initial | 25, at))
  return output.writeUInt32BE(argument, output.writeUInt8(initial | 26, at))
}
