// Verifies compact JWS (RFC 7515) and reads public keys as JWK (RFC 7517).

import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto'
import {
  algorithmNamed,
  algorithmOfCurve,
  JWS_ALGORITHMS,
  type JwsAlgorithm,
  SIGNATURE_ALGORITHMS,
} from './algorithms.ts'
import { ascii, decodeBase64url, decodeUtf8, isKey, Malformed } from './bytes.ts'
import { isJsonObject, type JsonBudget, jsonBudget, parseJsonObject } from './json.ts'
import type { Json, JsonObject } from './verdict.ts'

/** Returns the algorithm of a key. Here, each type of key has exactly one. */
export function algorithmOfKey(key: KeyObject): JwsAlgorithm | null {
  return JWS_ALGORITHMS.find((name) => fits(name, key)) ?? null
}

/** Verifies a signature over `data`: r‖s or Ed25519. False for a key of another type or curve, or a wrong length. */
export function verifySignature(algorithm: JwsAlgorithm, key: KeyObject, signed: SignedBytes): boolean {
  return key.type === 'public' && fits(algorithm, key) && verifyWith({ algorithm, key }, signed)
}

/** Verifies with a key whose algorithm is known from its import or its certificate. */
export function verifyWith({ algorithm, key }: ImportedKey, signed: SignedBytes): boolean {
  const { hash, signatureBytes } = SIGNATURE_ALGORITHMS[algorithm]
  if (signed.signature.length !== signatureBytes) return false
  return verify(hash, signed.data, { key, dsaEncoding: 'ieee-p1363' }, signed.signature)
}

/** Like `verifyWith`, but hashes and verifies off the event loop. For megabytes of data. */
export function verifyLong({ algorithm, key }: ImportedKey, signed: SignedBytes): Promise<boolean> {
  const { hash, signatureBytes } = SIGNATURE_ALGORITHMS[algorithm]
  if (signed.signature.length !== signatureBytes) return Promise.resolve(false)
  return new Promise((resolve) => {
    verify(hash, signed.data, { key, dsaEncoding: 'ieee-p1363' }, signed.signature, (error, holds) =>
      resolve(error === null && holds === true),
    )
  })
}

export interface SignedBytes {
  readonly data: Uint8Array
  readonly signature: Uint8Array
}

function fits(algorithm: JwsAlgorithm, key: KeyObject): boolean {
  const { keyType, namedCurve } = SIGNATURE_ALGORITHMS[algorithm]
  if (key.asymmetricKeyType !== keyType) return false
  return namedCurve === null || key.asymmetricKeyDetails?.namedCurve === namedCurve
}

export interface CompactJws extends SignedBytes {
  readonly header: JsonObject
  /** The header as received, base64url. */
  readonly headerText: string
  readonly payload: JsonObject
}

/** Parses a compact JWS whose payload is a JSON object. Does not verify the signature. Throws Malformed. */
export function parseCompactJws(text: string, known: KnownHeaders = NONE_KNOWN, budget?: JsonBudget): CompactJws {
  const { header, headerText, payloadBytes, data, signature } = splitCompactJws(text, known, budget)
  return { header, headerText, payload: parseJsonObject(payloadTextOf(payloadBytes), budget), data, signature }
}

/** Caches parsed headers by their text, because all credentials of an issuer have the same header. */
export interface KnownHeaders {
  readonly get: (headerText: string) => JsonObject | undefined
}
const NONE_KNOWN: KnownHeaders = { get: () => undefined }

/** Throws Malformed. */
export function payloadTextOf(payloadBytes: Uint8Array): string {
  const text = decodeUtf8(payloadBytes)
  if (text === null) throw new Malformed('a JWT payload is not UTF-8 text')
  return text
}

/** Requires three strict base64url segments, a JSON object as header, and no critical extensions. Throws Malformed. */
export function splitCompactJws(
  text: string,
  known: KnownHeaders = NONE_KNOWN,
  budget: JsonBudget = jsonBudget(),
): Omit<CompactJws, 'payload'> & { readonly payloadBytes: Uint8Array } {
  const segments = text.split('.', 4)
  const [header, payload, signature] = segments
  if (segments.length !== 3 || header === undefined || payload === undefined || signature === undefined) {
    throw new Malformed('a JWT has three segments')
  }
  const [payloadBytes, signatureBytes] = [decodeBase64url(payload), decodeBase64url(signature)]
  if (payloadBytes === null || signatureBytes === null) throw new Malformed('a JWT segment is not base64url')
  return {
    header: (isKey(header) ? known.get(header) : undefined) ?? readHeader(header, budget),
    headerText: header,
    payloadBytes,
    data: ascii(text.slice(0, header.length + 1 + payload.length)),
    signature: signatureBytes,
  }
}

function readHeader(segment: string, budget: JsonBudget): JsonObject {
  const bytes = decodeBase64url(segment)
  const text = bytes === null ? null : decodeUtf8(bytes)
  if (text === null) throw new Malformed('a JWT header is not base64url of UTF-8 text')
  const header = parseJsonObject(text, budget)
  // RFC 7515 §4.1.11: unsupported critical extensions must be refused. We support none, not even `b64`.
  if ('crit' in header) throw new Malformed('a JWT header names critical extensions')
  return header
}

/** A public key with the only algorithm that it is used with. */
export interface ImportedKey {
  readonly key: KeyObject
  readonly algorithm: JwsAlgorithm
}

// Secret members of RFC 7518 §6 and RFC 8037. A key with one of them is not a public key.
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

/**
 * A public key whose form and lengths are valid. Whether it is a point of its curve shows at its first use. Most holder
 * keys are used once, so importing them during the verification costs less.
 */
export interface StatedKey {
  readonly algorithm: JwsAlgorithm
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Buffer
}

/** Returns null for a wrong type, wrong lengths, secret members, or a key that may not verify. */
export function readPublicJwk(jwk: Json | undefined): StatedKey | null {
  if (!isJsonObject(jwk) || SECRET_MEMBERS.some((name) => Object.hasOwn(jwk, name))) return null
  const algorithm = algorithmOfCurve(jwk.kty, jwk.crv)
  if (algorithm === null || !isForVerifying(jwk, algorithm)) return null
  const x = readCoordinate(jwk.x)
  const y = SIGNATURE_ALGORITHMS[algorithm].kty === 'EC' ? readCoordinate(jwk.y) : null
  return statedKey(algorithm, x, y)
}

/** Reads a member of a JWK; null if it is not base64url. */
export function readCoordinate(value: Json | undefined): Uint8Array | null {
  return typeof value === 'string' ? decodeBase64url(value) : null
}

/** Builds a key of this algorithm from its coordinates. Only some curves have a `y`. */
export function statedKey(algorithm: JwsAlgorithm, x: Uint8Array | null, y: Uint8Array | null): StatedKey | null {
  const { kty, coordinateBytes, spkiPrefix } = SIGNATURE_ALGORITHMS[algorithm]
  if (kty === 'OKP') {
    return x?.length === coordinateBytes && y === null ? { algorithm, spki: Buffer.concat([spkiPrefix, x]) } : null
  }
  const [abscissa, ordinate] = [fullLength(x, coordinateBytes), fullLength(y, coordinateBytes)]
  if (abscissa === null || ordinate === null) return null
  return { algorithm, spki: Buffer.concat([spkiPrefix, abscissa, ordinate]) }
}

/** Restores leading zeros of a coordinate, which some writers omit. Null if it is longer than the curve's. */
export function fullLength(coordinate: Uint8Array | null, octets: number): Uint8Array | null {
  if (coordinate === null || coordinate.length === 0 || coordinate.length > octets) return null
  return coordinate.length === octets
    ? coordinate
    : Buffer.concat([Buffer.alloc(octets - coordinate.length), coordinate])
}

/** Like `verifyWith`; null if the key is not a point of its curve, which OpenSSL checks. */
export function verifyWithStated({ algorithm, spki }: StatedKey, signed: SignedBytes): boolean | null {
  const { hash, signatureBytes } = SIGNATURE_ALGORITHMS[algorithm]
  if (signed.signature.length !== signatureBytes) return false
  const key = { key: spki, format: 'der', type: 'spki', dsaEncoding: 'ieee-p1363' } as const
  try {
    return verify(hash, signed.data, key, signed.signature)
  } catch {
    return null
  }
}

/** Returns null if the key is not a point of its curve. */
export function importKey({ algorithm, spki }: StatedKey): ImportedKey | null {
  try {
    return { key: createPublicKey({ format: 'der', type: 'spki', key: spki }), algorithm }
  } catch {
    return null
  }
}

// RFC 7517 §4.2-4.4: a key may restrict its use. A key without these members has no restriction.
function isForVerifying(jwk: JsonObject, algorithm: JwsAlgorithm): boolean {
  const { use, key_ops: operations, alg } = jwk
  if (use !== undefined && use !== 'sig') return false
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) return false
  return alg === undefined || algorithmNamed(alg) === algorithm
}

/** RFC 7638: SHA-256 over the required members in their order. null for any but an EC or OKP public key. */
export function thumbprintOf(jwk: JsonObject): Uint8Array | null {
  const { kty, crv, x, y } = jwk
  if (typeof crv !== 'string' || typeof x !== 'string') return null
  if (kty === 'EC' && typeof y === 'string') return hash('sha256', JSON.stringify({ crv, kty, x, y }), 'buffer')
  return kty === 'OKP' ? hash('sha256', JSON.stringify({ crv, kty, x }), 'buffer') : null
}
