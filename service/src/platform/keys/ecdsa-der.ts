// Converts an ECDSA signature from DER (RFC 3279 §2.2.3) to r‖s. Refuses every encoding that is not canonical DER.

/** null: not DER of a signature of this size. */
export function rawOfDer(der: Uint8Array, coordinateBytes: number): Uint8Array | null {
  const bytes = Buffer.from(der)
  const body = readElement(bytes, 0, 0x30)
  if (body === null || body.end !== bytes.length) return null
  const r = readElement(bytes, body.start, 0x02)
  const s = r === null ? null : readElement(bytes, r.end, 0x02)
  if (r === null || s === null || s.end !== bytes.length) return null
  const parts = [r, s].map(({ start, end }) => coordinateOf(bytes.subarray(start, end), coordinateBytes))
  return parts.includes(null) ? null : Buffer.concat(parts.filter((part) => part !== null))
}

function readElement(bytes: Buffer, at: number, tag: number): { readonly start: number; readonly end: number } | null {
  const first = bytes[at + 1]
  if (bytes[at] !== tag || first === undefined) return null
  // Only a signature of P-521 needs a length of two bytes. DER forbids two bytes for shorter lengths.
  const isLong = first === 0x81
  const length = isLong ? (bytes[at + 2] ?? 0) : first
  if (isLong ? length < 0x80 : first >= 0x80) return null
  const start = at + (isLong ? 3 : 2)
  return start + length <= bytes.length ? { start, end: start + length } : null
}

/** A positive integer in its shortest form, padded on the left. */
function coordinateOf(integer: Buffer, size: number): Buffer | null {
  const [first, second = 0] = integer
  if (first === undefined || first >= 0x80) return null
  const isPadded = first === 0
  if (isPadded && (integer.length === 1 || second < 0x80)) return null
  const value = isPadded ? integer.subarray(1) : integer
  return value.length > size ? null : Buffer.concat([Buffer.alloc(size - value.length), value])
}
