// A writer for the few ASN.1 DER shapes that certificates and CRLs are made of. It writes nonsense just as willingly,
// because bad certificates are half of its work.

export type Der = Uint8Array

export function tlv(tag: number, ...contents: readonly Uint8Array[]): Der {
  const body = Buffer.concat(contents)
  return new Uint8Array(Buffer.concat([Uint8Array.of(tag), lengthOf(body.length), body]))
}

function lengthOf(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length)
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return Uint8Array.of(0x80 | bytes.length, ...bytes)
}

export const sequence = (...members: readonly Der[]): Der => tlv(0x30, ...members)
export const set = (...members: readonly Der[]): Der => tlv(0x31, ...members)
export const octetString = (bytes: Uint8Array): Der => tlv(0x04, bytes)
export const bitString = (bytes: Uint8Array, unusedBits = 0): Der => tlv(0x03, Uint8Array.of(unusedBits), bytes)
export const boolean = (value: boolean): Der => tlv(0x01, Uint8Array.of(value ? 0xff : 0))
export const utf8String = (text: string): Der => tlv(0x0c, Buffer.from(text))
export const printableString = (text: string): Der => tlv(0x13, Buffer.from(text, 'latin1'))
/** Context-specific tag [number], constructed unless it stands for a primitive. */
export const explicit = (number: number, ...members: readonly Der[]): Der => tlv(0xa0 | number, ...members)
export const implicit = (number: number, content: Uint8Array): Der => tlv(0x80 | number, content)

/** A non-negative integer, given as a number or as big-endian bytes. */
export function integer(value: number | Uint8Array): Der {
  const bytes = typeof value === 'number' ? numberBytes(value) : value
  const first = bytes[0] ?? 0
  return tlv(0x02, first >= 0x80 || bytes.length === 0 ? Buffer.concat([Uint8Array.of(0), bytes]) : bytes)
}

function numberBytes(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  do {
    bytes.unshift(rest % 256)
    rest = Math.floor(rest / 256)
  } while (rest > 0)
  return Uint8Array.from(bytes)
}

export function oid(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tlv(0x06, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)))
}

function base128(arc: number): number[] {
  const digits = [arc % 128]
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift(0x80 | (rest % 128))
  return digits
}

/** RFC 5280 4.1.2.5: UTCTime through 2049, GeneralizedTime from 2050 on. */
export function time(unixSeconds: number): Der {
  const text = new Date(unixSeconds * 1000).toISOString().replace(/[-:T]/g, '').slice(0, 14)
  const year = Number(text.slice(0, 4))
  return year < 2050 ? tlv(0x17, Buffer.from(`${text.slice(2)}Z`)) : tlv(0x18, Buffer.from(`${text}Z`))
}
