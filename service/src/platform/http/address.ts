// Finds the address of a request's sender, and the sender's groups, for which limits count.

import type { Deps } from '../../deps.ts'
import { addressBytes, contains } from '../cidr.ts'
import type { Sender } from '../shares.ts'
import { ADDRESSES_READ } from './bounds/limits.ts'

/** Prefixes of one customer's network: the smallest possible network, a home line, a company. */
const NETWORKS = [64, 56, 48] as const

interface Address {
  /** 4 or 16; null if it is not an address. */
  readonly bytes: Uint8Array | null
  readonly sender: Sender
}

/**
 * Caches the latest addresses. A request looks its sender up three or four times, which took 5 to 10 % of its CPU time.
 */
const remembered = new Map<string, Address>()

/** An IPv4 address, or the networks of an IPv6 address, narrowest first: a customer with a /48 has 65,536 networks of /64. */
export function senderOf(ip: string): Sender {
  return addressOf(ip).sender
}

/** The sender's group for this prefix, for limits that count a request in one group only. */
export function addressBucket(ip: string, prefix: (typeof NETWORKS)[number] = 64): string {
  const { sender } = addressOf(ip)
  return sender[NETWORKS.indexOf(prefix)] ?? sender[0]
}

/** The network of one provider or company: a /24 of IPv4, a /32 of IPv6. */
export function wideNetwork(ip: string): string {
  const { bytes } = addressOf(ip)
  return bytes === null ? 'unknown' : networkOf(bytes, bytes.length === 4 ? 24 : 32)
}

export function isTrustedProxy(
  deps: { readonly config: Pick<Deps['config'], 'trustedProxies'> },
  address: string,
): boolean {
  const { bytes } = addressOf(address)
  return bytes !== null && deps.config.trustedProxies.some((cidr) => contains(cidr, bytes))
}

function addressOf(text: string): Address {
  const known = remembered.get(text)
  if (known !== undefined) return known
  const bytes = bytesOf(text)
  const address = { bytes, sender: senderAt(bytes) }
  if (remembered.size >= ADDRESSES_READ.most) remembered.clear()
  if (text.length <= ADDRESSES_READ.lengthMax) remembered.set(text, address)
  return address
}

function senderAt(bytes: Uint8Array | null): Sender {
  // All senders without a valid address are one group. Otherwise each invented text would get its own budget.
  if (bytes === null) return ['unknown']
  if (bytes.length === 4) return [bytes.join('.')]
  const [narrowest, ...wider] = NETWORKS
  return [networkOf(bytes, narrowest), ...wider.map((bits) => networkOf(bytes, bits))]
}

const networkOf = (bytes: Uint8Array, bits: number) =>
  `${Buffer.from(bytes.subarray(0, bits / 8)).toString('hex')}/${bits}`

/** Returns 4 or 16 bytes. Some proxies append a port to the address, and dual-stack sockets write IPv4 as IPv6. */
function bytesOf(text: string): Uint8Array | null {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\]|([\d.]+)):\d{1,5}$/.exec(text) ?? []
  const bytes = addressBytes(bracketed ?? dotted ?? text)
  return bytes?.length === 16 && isMapped(bytes) ? bytes.subarray(12) : bytes
}

const isMapped = (bytes: Uint8Array) => bytes.subarray(0, 12).every((byte, at) => byte === (at < 10 ? 0 : 0xff))
