// Builds COSE_Sign1 and COSE_Mac0 (RFC 9052) from headers, payload and key, each of which may be deliberately wrong.

import { createHmac } from 'node:crypto'
import type { PrivateJwk, PublicJwk } from '../keys.ts'
import { CURVES, fromBase64url, signBytes } from '../keys.ts'
import type { CborValue } from './cbor.ts'
import { encodeCbor } from './cbor.ts'

export const LABEL = { algorithm: 1, critical: 2, type: 16, x5chain: 33 } as const

type HeaderMap = ReadonlyMap<CborValue, CborValue>

export interface Sign1 {
  readonly protectedHeader: HeaderMap
  readonly unprotectedHeader?: HeaderMap
  readonly payload: Uint8Array | null
  /** The signed content if the payload is sent elsewhere. */
  readonly detached?: Uint8Array
  readonly key: PrivateJwk
}

/** The untagged array [protected, unprotected, payload, signature]. */
export function coseSign1(fields: Sign1): readonly CborValue[] {
  const protectedBytes = encodeCbor(fields.protectedHeader)
  const signed = fields.detached ?? fields.payload ?? new Uint8Array()
  const toBeSigned = encodeCbor(['Signature1', protectedBytes, new Uint8Array(), signed])
  return [protectedBytes, fields.unprotectedHeader ?? new Map(), fields.payload, signBytes(fields.key, toBeSigned)]
}

export function coseMac0(secret: Uint8Array, detached: Uint8Array, algorithm = 5): readonly CborValue[] {
  const protectedBytes = encodeCbor(new Map([[LABEL.algorithm, algorithm]]))
  const toBeAuthenticated = encodeCbor(['MAC0', protectedBytes, new Uint8Array(), detached])
  const tag = new Uint8Array(createHmac('sha256', secret).update(toBeAuthenticated).digest())
  return [protectedBytes, new Map(), null, tag]
}

export function algorithmHeader(key: PublicJwk): HeaderMap {
  return new Map([[LABEL.algorithm, CURVES[key.crv].cose]])
}

/** COSE_Key of a public key: EC2 with both coordinates, or OKP. */
export function coseKey(key: PublicJwk): ReadonlyMap<CborValue, CborValue> {
  const entries: [CborValue, CborValue][] = [
    [1, key.kty === 'EC' ? 2 : 1],
    [-1, CURVES[key.crv].coseCurve],
    [-2, fromBase64url(key.x)],
  ]
  if (key.y !== undefined) entries.push([-3, fromBase64url(key.y)])
  return new Map(entries)
}

/** One certificate is a byte string, several are an array (RFC 9360). */
export function x5chain(certificates: readonly Uint8Array[]): CborValue {
  const [only] = certificates
  return certificates.length === 1 && only !== undefined ? only : certificates
}
