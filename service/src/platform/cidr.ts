// Parses address blocks and compares them as bytes, because an address can be spelled in several ways.

import { isIP, isIPv4 } from 'node:net'

export interface Cidr {
  /** 4 or 16 bytes. */
  readonly bytes: Uint8Array
  readonly bits: number
}

/** '10.0.0.0/8', 'fd00::/8', or a single address. null for anything else, including set host bits. */
export function parseCidr(text: string): Cidr | null {
  const [address, prefix, ...rest] = text.split('/')
  if (address === undefined || rest.length > 0) return null
  const bytes = addressBytes(address)
  if (bytes === null) return null
  const bits = prefix === undefined ? bytes.length * 8 : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  if (!(bits >= 0 && bits <= bytes.length * 8)) return null
  const cidr = { bytes, bits }
  return bytes.every((byte, index) => (byte & ~maskByte(bits, index) & 0xff) === 0) ? cidr : null
}

export function contains(cidr: Cidr, address: Uint8Array): boolean {
  if (address.length !== cidr.bytes.length) return false
  return cidr.bytes.every((byte, index) => ((address[index] ?? 0) & maskByte(cidr.bits, index)) === byte)
}

/** The bytes of a canonical address, as sockets and resolvers return it; null for every other text. */
export function addressBytes(text: string): Uint8Array | null {
  if (isIPv4(text)) return Uint8Array.from(text.split('.').map(Number))
  if (isIP(text) !== 6 || text.includes('%')) return null
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  const plain = dotted === null ? text : `${dotted[1]}${hexOfIPv4(dotted[2] ?? '')}`
  const [head = '', tail] = plain.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...left, ...new Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return Uint8Array.from(
    groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]),
  )
}

function hexOfIPv4(text: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

function maskByte(bits: number, index: number): number {
  const left = Math.min(8, Math.max(0, bits - index * 8))
  return (0xff << (8 - left)) & 0xff
}
