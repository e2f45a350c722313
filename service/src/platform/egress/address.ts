// Decides whether we may connect to an address, by its bytes and never by its spelling.

import { addressBytes, type Cidr, contains, parseCidr } from '../cidr.ts'
import { GLOBAL_UNICAST, type RangeReason, REFUSED_RANGES } from './ranges.ts'

export type AddressReason = RangeReason | 'not_an_address' | 'not_global_unicast' | 'isatap' | 'own_address'

type AddressVerdict =
  | { readonly allowed: true; readonly by: 'public' | 'allow_list' }
  | { readonly allowed: false; readonly reason: AddressReason }

export interface AddressLists {
  /** The operator's exceptions for development and tests. */
  readonly allow: readonly Cidr[]
  /** Our own addresses, because a webhook to ourselves is a loop. Takes precedence over `allow`. */
  readonly deny: readonly Cidr[]
}

const NO_LISTS: AddressLists = { allow: [], deny: [] }

/** Refuses texts and bytes that are not an IP address, and every address outside of the public internet. */
export function classifyAddress(address: Uint8Array | string, lists: AddressLists = NO_LISTS): AddressVerdict {
  const bytes = typeof address === 'string' ? addressBytes(address) : address
  if (bytes === null || (bytes.length !== 4 && bytes.length !== 16)) return { allowed: false, reason: 'not_an_address' }
  if (lists.deny.some((block) => contains(block, bytes))) return { allowed: false, reason: 'own_address' }
  if (lists.allow.some((block) => contains(block, bytes))) return { allowed: true, by: 'allow_list' }
  const range = REFUSED.find(({ block }) => contains(block, bytes))
  if (range !== undefined) return { allowed: false, reason: range.reason }
  if (bytes.length === 4) return { allowed: true, by: 'public' }
  if (!contains(GLOBAL, bytes)) return { allowed: false, reason: 'not_global_unicast' }
  if (isIsatap(bytes)) return { allowed: false, reason: 'isatap' }
  return { allowed: true, by: 'public' }
}

export function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups: string[] = []
  for (let i = 0; i < 16; i += 2) groups.push((((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)).toString(16))
  return groups.join(':')
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

/** RFC 5214: an interface id of 0:5efe or 200:5efe, followed by an IPv4 address that a router tunnels to. */
function isIsatap(bytes: Uint8Array): boolean {
  return (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
}

function tableCidr(text: string): Cidr {
  const block = parseCidr(text)
  if (block === null) throw new Error(`bug: ${text} in the table of ranges is not a CIDR`)
  return block
}

const REFUSED = REFUSED_RANGES.map(([cidr, reason]) => ({ block: tableCidr(cidr), reason }))
const GLOBAL = tableCidr(GLOBAL_UNICAST)
