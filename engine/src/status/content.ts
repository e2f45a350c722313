// Reads a fetched list into a compact form that threads can exchange. Nothing here is verified: the caller checks signer, address
// and time.

import { hash } from 'node:crypto'
import { Malformed } from '../bytes.ts'
import { LIMITS } from '../limits.ts'
import { MalformedCertificate } from '../trust/certificate.ts'
import { MalformedDer } from '../trust/der.ts'
import { readCrl } from './crl-content.ts'
import { readCwtList } from './cwt-content.ts'
import { readJwtList } from './jwt-content.ts'
import type { ListContent, StatusKind, TokenContent, UncheckedToken } from './list-types.ts'
import { checkOwnSignature } from './own-signature.ts'

/** null if it is not a list of this kind. Too slow for the event loop. */
export function readList(bytes: Uint8Array, kind: StatusKind): ListContent | null {
  if (bytes.length > LIMITS.oneListBytes) return null
  try {
    const list = read(bytes, kind)
    return list === null ? null : { sha256: hash('sha256', bytes, 'base64url'), list }
  } catch (error) {
    if (error instanceof Malformed || error instanceof MalformedDer || error instanceof MalformedCertificate)
      return null
    throw error
  }
}

function read(bytes: Uint8Array, kind: StatusKind): ListContent['list'] | null {
  switch (kind) {
    case 'status_list_jwt':
      return checked(readJwtList(bytes))
    case 'status_list_cwt':
    case 'identifier_list_cwt':
      return checked(readCwtList(bytes, kind))
    case 'crl':
      return { kind, crl: readCrl(bytes) }
  }
}

const checked = (token: UncheckedToken): TokenContent => ({ ...token, ownSignature: checkOwnSignature(token) })

/** The cost of a list that was read. */
export interface ListCost {
  /** Downloaded and unpacked bytes. */
  readonly bytes: number
  readonly items: number
}

export function costOf(bytes: Uint8Array, { list }: ListContent): ListCost {
  if (list.kind === 'crl') return { bytes: bytes.length, items: list.crl.revoked.starts.length }
  const { entries } = list
  // Unpacking may have failed at the cap, so the cap is counted.
  if (entries?.kind === 'statuses')
    return { bytes: bytes.length + (entries.statuses?.length ?? LIMITS.unpackedListBytes), items: 0 }
  return { bytes: bytes.length, items: entries?.ranges.starts.length ?? 0 }
}

/** The cost of an unreadable list of so many bytes: as many entries as fit may have been read and sorted before the error. */
export function costOfUnreadable(bytes: number, kind: StatusKind): ListCost {
  const hasItems = kind === 'identifier_list_cwt' || kind === 'crl'
  return { bytes, items: hasItems ? Math.min(LIMITS.oneListItems, Math.ceil(bytes / SHORTEST_ITEM)) : 0 }
}

/** Bytes of an empty identifier without further information. */
const SHORTEST_ITEM = 2

/** Bytes of memory that a cached list occupies, including the downloaded bytes. */
export function memoryOf(bytes: Uint8Array, content: ListContent): number {
  const { list } = content
  const unpacked = list.kind !== 'crl' && list.entries?.kind === 'statuses' ? (list.entries.statuses?.length ?? 0) : 0
  const { items } = costOf(bytes, content)
  const chain = list.kind !== 'crl' && Array.isArray(list.chain) ? list.chain : []
  const certificates = chain.reduce((sum, { length }) => sum + length, 0)
  // What a CWT without certificates has signed is a copy. The other parts are short and bounded: algorithm, claims, signature.
  const copied = list.kind === 'crl' || list.kind === 'status_list_jwt' || list.chain !== null ? 0 : bytes.length
  return bytes.length + copied + unpacked + certificates + items * BYTES_OF_ITEM + LIMITS.listHeaderLength / 16
}

/** Start and end, and for a revocation list whether the certificate is on hold. */
const BYTES_OF_ITEM = 9

/** The list's own ttl, expiry and issue time (unix seconds). Unverified, so only for caching. */
export interface ListLifetime {
  readonly ttlSeconds: number | null
  readonly expiresAt: number | null
  readonly issuedAt: number | null
}

export function lifetimeOf({ list }: ListContent): ListLifetime {
  if (list.kind === 'crl') return { ttlSeconds: null, expiresAt: null, issuedAt: seconds(list.crl.thisUpdate) }
  const { ttl, exp, iat } = list.claims
  return { ttlSeconds: seconds(ttl), expiresAt: seconds(exp), issuedAt: seconds(iat) }
}

function seconds(value: number | null | undefined): number | null {
  return value != null && value > 0 && value <= Number.MAX_SAFE_INTEGER ? value : null
}
