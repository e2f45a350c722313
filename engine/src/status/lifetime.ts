// How long may a fetched list be kept, and is it older than another? Its own word, read before anybody has verified it: good for a cache, for nothing else.

import { decodeUtf8, Malformed } from '../bytes.ts'
import type { StatusSource } from '../expected.ts'
import { parseCompactJws } from '../jose.ts'
import { member } from '../json.ts'
import { cborBudget, decodeCbor, isCborMap, isCborTag, MalformedCbor } from '../mdoc/cbor.ts'
import { COSE_SIGN1_TAG, readCose } from '../mdoc/cose.ts'
import { MalformedDer } from '../trust/der.ts'
import { crlIssuedAt } from './crl.ts'

export interface ListLifetime {
  readonly ttlSeconds: number | null
  /** Unix seconds. */
  readonly expiresAt: number | null
  /** Unix seconds. */
  readonly issuedAt: number | null
}

const UNSAID: ListLifetime = { ttlSeconds: null, expiresAt: null, issuedAt: null }
const CLAIM = { exp: 4, iat: 6, ttl: 65534 } as const
/**
 * Whoever serves the list wrote it, and nobody has verified it yet. A status list has a dozen items however long it is; a
 * list that needs more than this to be read gets the lifetime of one that says nothing.
 */
const ITEMS_MAX = 2_000

/** A list that cannot be read says nothing; that it is of no use is found out elsewhere. */
export function listLifetime(bytes: Uint8Array, kind: StatusSource['kind']): ListLifetime {
  try {
    if (kind === 'crl') return { ...UNSAID, issuedAt: seconds(crlIssuedAt(bytes)) }
    return kind === 'status_list_jwt' ? jwtLifetime(bytes) : cwtLifetime(bytes)
  } catch (error) {
    if (error instanceof Malformed || error instanceof MalformedCbor || error instanceof MalformedDer) return UNSAID
    throw error
  }
}

function jwtLifetime(bytes: Uint8Array): ListLifetime {
  const { payload } = parseCompactJws(decodeUtf8(bytes) ?? '')
  const said = (name: string) => seconds(member(payload, name))
  return { ttlSeconds: said('ttl'), expiresAt: said('exp'), issuedAt: said('iat') }
}

function cwtLifetime(bytes: Uint8Array): ListLifetime {
  const budget = cborBudget(ITEMS_MAX)
  const token = decodeCbor(bytes, budget)
  if (!isCborTag(token) || token.tag !== COSE_SIGN1_TAG) return UNSAID
  const { payload } = readCose(token, COSE_SIGN1_TAG, budget)
  const claims = decodeCbor(payload ?? new Uint8Array(), budget, true)
  if (!isCborMap(claims)) return UNSAID
  const said = (name: keyof typeof CLAIM) => seconds(claims.get(CLAIM[name]))
  return { ttlSeconds: said('ttl'), expiresAt: said('exp'), issuedAt: said('iat') }
}

function seconds(value: unknown): number | null {
  return typeof value === 'number' && value > 0 && value <= Number.MAX_SAFE_INTEGER ? value : null
}
