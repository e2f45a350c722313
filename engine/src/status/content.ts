// Reads a fetched list into a compact form that threads can exchange. Verifies nothing: the caller checks signer, address and time.

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

/** Returns null if the bytes are not a list of this kind. Too slow for the event loop. */
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

/** What reading a list has cost. */
export interface ListCost {
  /** Downloaded and unpacked bytes. */
  readonly bytes: number
  readonly items: number
}

export function costOf(bytes: Uint8Array, { list }: ListContent): ListCost {
  if (list.kind === 'crl') return { bytes: bytes.length, items: list.crl.revoked.starts.length }
  const { entries } = list
  // Unpacking may have stopped at the maximum, so the maximum counts.
  if (entries?.kind === 'statuses')
    return { bytes: bytes.length + (entries.statuses?.length ?? LIMITS.unpackedListBytes), items: 0 }
  return { bytes: bytes.length, items: entries?.ranges.starts.length ?? 0 }
}

/**
 * Returns the cost of an unreadable list of this length. As many entries as fit may have been read and sorted before
 * the error.
 */
export function costOfUnreadable(bytes: number, kind: StatusKind): ListCost {
  const hasItems = kind === 'identifier_list_cwt' || kind === 'crl'
  return { bytes, items: hasItems ? Math.min(LIMITS.oneListItems, Math.ceil(bytes / SHORTEST_ITEM)) : 0 }
}

/** The bytes of an empty identifier without additional information. */
const SHORTEST_ITEM = 2

/** Estimates the memory of a cached list, including the downloaded bytes. */
export function memoryOf(bytes: Uint8Array, content: ListContent): number {
  const { list } = content
  const unpacked = list.kind !== 'crl' && list.entries?.kind === 'statuses' ? (list.entries.statuses?.length ?? 0) : 0
  const { items } = costOf(bytes, content)
  const chain = list.kind !== 'crl' && Array.isArray(list.chain) ? list.chain : []
  const certificates = chain.reduce((sum, { length }) => sum + length, 0)
  // For a CWT without certificates, the signed bytes are a copy. Algorithm, claims and signature are short and bounded.
  const copied = list.kind === 'crl' || list.kind === 'status_list_jwt' || list.chain !== null ? 0 : bytes.length
  return bytes.length + copied + unpacked + certificates + items * BYTES_OF_ITEM + LIMITS.listHeaderLength / 16
}

/** Start and end; in a revocation list also whether the certificate is on hold. */
const BYTES_OF_ITEM = 9

/** The ttl, expiry and issue time (unix seconds) that the list states. Not verified, so use them for caching only. */
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
