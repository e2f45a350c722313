// What a fetched list says, read once from its bytes in a form that takes little memory and can be handed from a thread to another.
// Nothing here was verified: who signed it, for which address and time is judged by those who ask.

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

/** Null where it cannot be read as a list of that kind. Takes time by the length of the list: not for an event loop. */
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

/** What the bounds count of a list that was read. */
export interface ListCost {
  /** As downloaded, and what it unpacked to. */
  readonly bytes: number
  readonly items: number
}

export function costOf(bytes: Uint8Array, { list }: ListContent): ListCost {
  if (list.kind === 'crl') return { bytes: bytes.length, items: list.crl.revoked.starts.length }
  const { said } = list
  // One that could not be unpacked was unpacked up to the cap, for all we know.
  if (said?.kind === 'statuses')
    return { bytes: bytes.length + (said.statuses?.length ?? LIMITS.unpackedListBytes), items: 0 }
  return { bytes: bytes.length, items: said?.ranges.starts.length ?? 0 }
}

/** Of a list of so many bytes that is none of its kind: as many entries as fit may have been read and sorted before that showed. */
export function costOfUnreadable(bytes: number, kind: StatusKind): ListCost {
  const hasItems = kind === 'identifier_list_cwt' || kind === 'crl'
  return { bytes, items: hasItems ? Math.min(LIMITS.oneListItems, Math.ceil(bytes / SHORTEST_ITEM)) : 0 }
}

/** Bytes of an empty identifier of which nothing is said. */
const SHORTEST_ITEM = 2

/** Bytes of memory that a list occupies as long as it is kept, the downloaded ones included. */
export function memoryOf(bytes: Uint8Array, content: ListContent): number {
  const { list } = content
  const unpacked = list.kind !== 'crl' && list.said?.kind === 'statuses' ? (list.said.statuses?.length ?? 0) : 0
  const { items } = costOf(bytes, content)
  const chain = list.kind !== 'crl' && Array.isArray(list.chain) ? list.chain : []
  const certificates = chain.reduce((sum, { length }) => sum + length, 0)
  // The rest is bounded and short: algorithm, claims, signature.
  return bytes.length + unpacked + certificates + items * BYTES_OF_ITEM + LIMITS.listHeaderLength / 16
}

/** Start and end, and of a revocation list whether the certificate is on hold. */
const BYTES_OF_ITEM = 9

/** How long it says it may be kept, when it ends and when it was made (unix seconds): good for a cache, for nothing else. */
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
