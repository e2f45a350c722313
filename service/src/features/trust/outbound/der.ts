// Writes DER (X.690), as far as certificates and signing requests need it.

export type Der = Uint8Array

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  printable: 0x13,
  ia5: 0x16,
} as const
const TIME = { utc: 0x17, generalized: 0x18 } as const
const CONSTRUCTED = { sequence: 0x30, set: 0x31 } as const

export const sequence = (...parts: readonly Der[]): Der => element(CONSTRUCTED.sequence, ...parts)
export const set = (...parts: readonly Der[]): Der => element(CONSTRUCTED.set, ...parts)
export const octets = (bytes: Der): Der => element(TAG.octets, bytes)
export const bits = (bytes: Der, unused = 0): Der => element(TAG.bits, Uint8Array.of(unused), bytes)
export const utf8 = (text: string): Der => element(TAG.utf8, Buffer.from(text, 'utf8'))
export const printable = (text: string): Der => element(TAG.printable, Buffer.from(text, 'latin1'))
export const ia5 = (text: string): Der => element(TAG.ia5, Buffer.from(text, 'latin1'))
export const truth = (): Der => element(TAG.boolean, Uint8Array.of(0xff))
/** Wraps whole elements in the tag [n]. */
export const explicit = (number: number, ...parts: readonly Der[]): Der => element(0xa0 | number, ...parts)
/** Replaces the tag of a primitive element by [n]. */
export const implicit = (number: number, content: Der): Der => element(0x80 | number, content)

/** An unsigned number from its big-endian bytes. */
export function integer(bytes: Der): Der {
  const first = bytes.findIndex((byte) => byte !== 0)
  const trimmed = first < 0 ? Uint8Array.of(0) : bytes.subarray(first)
  return (trimmed[0] ?? 0) >= 0x80 ? element(TAG.integer, Uint8Array.of(0), trimmed) : element(TAG.integer, trimmed)
}

export function oid(text: string): Der {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  return element(TAG.oid, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)))
}

/** RFC 5280 §4.1.2.5: two digits for years until 2049, four digits from 2050 on. */
export function time(milliseconds: number): Der {
  const digits = new Date(milliseconds).toISOString().replace(/[-:T]/g, '').slice(0, 14)
  return digits < '2050'
    ? element(TIME.utc, Buffer.from(`${digits.slice(2)}Z`, 'latin1'))
    : element(TIME.generalized, Buffer.from(`${digits}Z`, 'latin1'))
}

function element(tag: number, ...parts: readonly Der[]): Der {
  const content = Buffer.concat(parts)
  return new Uint8Array(Buffer.concat([Uint8Array.of(tag, ...lengthOf(content.length)), content]))
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return [0x80 | bytes.length, ...bytes]
}

function base128(value: number): number[] {
  const groups = [value % 128]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) groups.unshift((rest % 128) | 0x80)
  return groups
}
