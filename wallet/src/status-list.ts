// Issues Token Status Lists (draft -20) in both forms, and ISO identifier lists.

import { deflateSync } from 'node:zlib'
import type { CborValue } from './encoding/cbor.ts'
import { encodeCbor, mapOf, Tagged } from './encoding/cbor.ts'
import { coseSign1, LABEL, x5chain } from './encoding/cose.ts'
import type { JsonObject } from './encoding/json.ts'
import { CURVES, toBase64url } from './keys.ts'
import type { Identity } from './pki.ts'
import { certificateBytes } from './pki.ts'
import { signJws } from './sdjwt.ts'

export const STATUS = { valid: 0, invalid: 1, suspended: 2, applicationSpecific: 3 } as const

export interface ListFields {
  /** The address under which the list is served; the token's subject. */
  readonly uri: string
  readonly bits: number
  readonly size: number
  /** Status by index; other indexes are valid. */
  readonly statuses: { readonly [index: number]: number }
  readonly issuedAt: number
  readonly expiresAt: number
  readonly ttlSeconds: number
}

/** Packs the statuses from the least significant bit on, and compresses them with zlib. */
export function packStatuses(fields: Pick<ListFields, 'bits' | 'size' | 'statuses'>): Uint8Array {
  const perByte = 8 / fields.bits
  const bytes = new Uint8Array(Math.ceil(fields.size / perByte))
  for (const [text, status] of Object.entries(fields.statuses)) {
    const index = Number(text)
    const at = Math.floor(index / perByte)
    bytes[at] = (bytes[at] ?? 0) | (status << ((index % perByte) * fields.bits))
  }
  return new Uint8Array(deflateSync(bytes, { level: 9 }))
}

export function statusListClaims(fields: ListFields): JsonObject {
  return {
    sub: fields.uri,
    iat: fields.issuedAt,
    exp: fields.expiresAt,
    ttl: fields.ttlSeconds,
    status_list: { bits: fields.bits, lst: toBase64url(packStatuses(fields)) },
  }
}

export function statusListHeader(signer: Identity): JsonObject {
  return { alg: CURVES[signer.key.crv].jose, typ: 'statuslist+jwt', x5c: [signer.certificate] }
}

export function mintStatusListJwt(fields: ListFields, signer: Identity): string {
  return signJws(statusListHeader(signer), statusListClaims(fields), signer.key)
}

const CLAIM = { subject: 2, expires: 4, issuedAt: 6, statusList: 65533, ttl: 65534, identifierList: 65530 } as const

export function statusListCwtClaims(fields: ListFields): Map<CborValue, CborValue> {
  return new Map<CborValue, CborValue>([
    [CLAIM.subject, fields.uri],
    [CLAIM.issuedAt, fields.issuedAt],
    [CLAIM.expires, fields.expiresAt],
    [CLAIM.ttl, fields.ttlSeconds],
    [CLAIM.statusList, mapOf({ bits: fields.bits, lst: packStatuses(fields) })],
  ])
}

export function mintStatusListCwt(fields: ListFields, signer: Identity): Uint8Array {
  return signCwt('application/statuslist+cwt', statusListCwtClaims(fields), signer)
}

/** An identifier in the list is revoked. */
export function mintIdentifierListCwt(
  fields: Omit<ListFields, 'bits' | 'size' | 'statuses'> & { readonly revoked: readonly Uint8Array[] },
  signer: Identity,
): Uint8Array {
  const identifiers = new Map<CborValue, CborValue>(fields.revoked.map((id) => [id, new Map()]))
  const claims = new Map<CborValue, CborValue>([
    [CLAIM.subject, fields.uri],
    [CLAIM.issuedAt, fields.issuedAt],
    [CLAIM.expires, fields.expiresAt],
    [CLAIM.ttl, fields.ttlSeconds],
    [CLAIM.identifierList, mapOf({ identifiers })],
  ])
  return signCwt('application/identifierlist+cwt', claims, signer)
}

/** COSE_Sign1 tagged 18, with the certificate in the protected header as ISO/IEC 18013-5 12.3.6 wants it. */
export function signCwt(type: CborValue, claims: CborValue, signer: Identity): Uint8Array {
  return encodeCbor(new Tagged(18, cwtSign1(type, claims, signer)))
}

export function cwtSign1(type: CborValue, claims: CborValue, signer: Identity): readonly CborValue[] {
  const protectedHeader = new Map<CborValue, CborValue>([
    [LABEL.algorithm, CURVES[signer.key.crv].cose],
    [LABEL.type, type],
    [LABEL.x5chain, x5chain([certificateBytes(signer)])],
  ])
  return coseSign1({ protectedHeader, payload: encodeCbor(claims), key: signer.key })
}
