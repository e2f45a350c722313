// Is this a signature by this key? JWS in compact form (RFC 7515), and public keys as JWK (RFC 7517).
// The algorithm is always looked up in our table and must fit the key; the sender never chooses the key.

import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto'
import {
  algorithmNamed,
  algorithmOfCurve,
  JWS_ALGORITHMS,
  type JwsAlgorithm,
  SIGNATURE_ALGORITHMS,
} from './algorithms.ts'
import { ascii, decodeBase64url, decodeUtf8, Malformed } from './bytes.ts'
import { isJsonObject, type JsonBudget, jsonBudget, parseJsonObject } from './json.ts'
import type { Json, JsonObject } from './verdict.ts'

/** The algorithm a key is for: each key type here has exactly one. */
export function algorithmOfKey(key: KeyObject): JwsAlgorithm | null {
  return JWS_ALGORITHMS.find((name) => fits(name, key)) ?? null
}

/** Verifies r‖s (or an Ed25519 signature) over `data`. False for a key of another type or curve and for any other length. */
export function verifySignature(algorithm: JwsAlgorithm, key: KeyObject, signed: SignedBytes): boolean {
  return key.type === 'public' && fits(algorithm, key) && verifyWith({ algorithm, key }, signed)
}

/** The same for a key that is known to be of its algorithm, by its import or by its certificate. */
export function verifyWith({ algorithm, key }: ImportedKey, signed: SignedBytes): boolean {
  const { hash, signatureBytes } = SIGNATURE_ALGORITHMS[algorithm]
  if (signed.signature.length !== signatureBytes) return false
  return verify(hash, signed.data, { key, dsaEncoding: 'ieee-p1363' }, signed.signature)
}

/** As `verifyWith`, over data of megabytes: hashed and verified off the event loop. */
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

/** A compact JWS whose payload is a JSON object: a JWT. Says nothing of who signed. Throws Malformed. */
export function parseCompactJws(text: string, known: KnownHeaders = NONE_KNOWN, budget?: JsonBudget): CompactJws {
  const { header, headerText, payloadText, data, signature } = splitCompactJws(text, known, budget)
  return { header, headerText, payload: parseJsonObject(payloadText, budget), data, signature }
}

/** Headers that were read before, by their text: those of one issuer are the same in all its credentials. */
export interface KnownHeaders {
  readonly get: (headerText: string) => JsonObject | undefined
}
const NONE_KNOWN: KnownHeaders = { get: () => undefined }

/** Three strict base64url segments, a header that is a JSON object, no critical extensions. Throws Malformed. */
export function splitCompactJws(
  text: string,
  known: KnownHeaders = NONE_KNOWN,
  budget: JsonBudget = jsonBudget(),
): Omit<CompactJws, 'payload'> & { readonly payloadText: string } {
  const segments = text.split('.', 4)
  const [header, payload, signature] = segments
  if (segments.length !== 3 || header === undefined || payload === undefined || signature === undefined) {
    throw new Malformed('a JWT has three segments')
  }
  const bytes = decodeBase64url(signature)
  if (bytes === null) throw new Malformed('a JWT signature is not base64url')
  return {
    header: known.get(header) ?? readHeader(header, budget),
    headerText: header,
    payloadText: textOf(payload, 'payload'),
    data: ascii(text.slice(0, header.length + 1 + payload.length)),
    signature: bytes,
  }
}

function readHeader(segment: string, budget: JsonBudget): JsonObject {
  const header = parseJsonObject(textOf(segment, 'header'), budget)
  // RFC 7515 §4.1.11: an extension we do not understand must be refused, and we understand none. `b64` is one of them.
  if ('crit' in header) throw new Malformed('a JWT header names critical extensions')
  return header
}

function textOf(segment: string, name: string): string {
  const bytes = decodeBase64url(segment)
  const text = bytes === null ? null : decodeUtf8(bytes)
  if (text === null) throw new Malformed(`a JWT ${name} is not base64url of UTF-8 text`)
  return text
}

/** A public key and the one algorithm it is for. */
export interface ImportedKey {
  readonly key: KeyObject
  readonly algorithm: JwsAlgorithm
}

// Members of RFC 7518 §6 and RFC 8037 that are secret; a key that carries one is not a public key.
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

/**
 * A public key by its bytes, of the right form and lengths. Whether it is a point of its curve shows where it is used: a
 * holder's key is used once, and reading it while verifying costs less than keeping it in between.
 */
export interface StatedKey {
  readonly algorithm: JwsAlgorithm
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Buffer
}

/** Null for a wrong type, wrong lengths, secret members, or a key that is not meant for verifying. */
export function readPublicJwk(jwk: Json | undefined): StatedKey | null {
  if (!isJsonObject(jwk) || SECRET_MEMBERS.some((name) => Object.hasOwn(jwk, name))) return null
  const algorithm = algorithmOfCurve(jwk.kty, jwk.crv)
  if (algorithm === null || !isForVerifying(jwk, algorithm)) return null
  const x = readCoordinate(jwk.x)
  const y = SIGNATURE_ALGORITHMS[algorithm].kty === 'EC' ? readCoordinate(jwk.y) : null
  return statedKey(algorithm, x, y)
}

/** A member of a JWK; null where it is no base64url. */
export function readCoordinate(value: Json | undefined): Uint8Array | null {
  return typeof value === 'string' ? decodeBase64url(value) : null
}

/** A key of this algorithm by its coordinates; `y` only where the curve has one. */
export function statedKey(algorithm: JwsAlgorithm, x: Uint8Array | null, y: Uint8Array | null): StatedKey | null {
  const { kty, coordinateBytes, spkiPrefix } = SIGNATURE_ALGORITHMS[algorithm]
  if (kty === 'OKP') {
    return x?.length === coordinateBytes && y === null ? { algorithm, spki: Buffer.concat([spkiPrefix, x]) } : null
  }
  const [abscissa, ordinate] = [fullLength(x, coordinateBytes), fullLength(y, coordinateBytes)]
  if (abscissa === null || ordinate === null) return null
  return { algorithm, spki: Buffer.concat([spkiPrefix, abscissa, ordinate]) }
}

/** A coordinate is a number: some write it without leading zeros. It never needs more octets than the curve has. */
export function fullLength(coordinate: Uint8Array | null, octets: number): Uint8Array | null {
  if (coordinate === null || coordinate.length === 0 || coordinate.length > octets) return null
  return coordinate.length === octets
    ? coordinate
    : Buffer.concat([Buffer.alloc(octets - coordinate.length), coordinate])
}

/** As `verifyWith`; null where the key is no point of its curve (OpenSSL refuses to read it). */
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

/** Null where the key is no point of its curve. */
export function importKey({ algorithm, spki }: StatedKey): ImportedKey | null {
  try {
    return { key: createPublicKey({ format: 'der', type: 'spki', key: spki }), algorithm }
  } catch {
    return null
  }
}

// RFC 7517 §4.2-4.4: what a key says about its use binds us when it is there; a minimal key says nothing.
function isForVerifying(jwk: JsonObject, algorithm: JwsAlgorithm): boolean {
  const { use, key_ops: operations, alg } = jwk
  if (use !== undefined && use !== 'sig') return false
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) return false
  return alg === undefined || algorithmNamed(alg) === algorithm
}

/** RFC 7638: SHA-256 over the required members in their order. Null for what is no EC or OKP public key. */
export function thumbprintOf(jwk: JsonObject): Uint8Array | null {
  const { kty, crv, x, y } = jwk
  if (typeof crv !== 'string' || typeof x !== 'string') return null
  if (kty === 'EC' && typeof y === 'string') return hash('sha256', JSON.stringify({ crv, kty, x, y }), 'buffer')
  return kty === 'OKP' ? hash('sha256', JSON.stringify({ crv, kty, x }), 'buffer') : null
}
