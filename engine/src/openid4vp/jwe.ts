// Decrypts a compact JWE: ECDH-ES on P-256 with AES-GCM (RFC 7516, RFC 7518 §4.6, OpenID4VP §8.3).

import { createDecipheriv, diffieHellman, type KeyObject } from 'node:crypto'
import { ascii, concat, decodeBase64url, decodeUtf8, Malformed, sha256 } from '../bytes.ts'
import { readCoordinate, statedKey } from '../jose.ts'
import { isJsonObject, type JsonBudget, jsonBudget, member, parseJsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Json, JsonObject } from '../verdict.ts'

export interface DecryptionKey {
  /** A key on P-256. */
  readonly privateKey: KeyObject
  /** The `kid` of the JWK in our request. */
  readonly kid: string
}

/** The encryptions that our requests name, with their ciphers. HAIP §5.1 requires both. */
export const CONTENT_ENCRYPTIONS = {
  A128GCM: { cipher: 'aes-128-gcm', keyBytes: 16 },
  A256GCM: { cipher: 'aes-256-gcm', keyBytes: 32 },
} as const
export type ContentEncryption = keyof typeof CONTENT_ENCRYPTIONS
export const CONTENT_ENCRYPTION_NAMES = Object.keys(CONTENT_ENCRYPTIONS) as readonly ContentEncryption[]

export const IV_BYTES = 12
export const TAG_BYTES = 16

/** Throws Malformed. Proves nothing about the sender, because anyone with our public key can encrypt. */
export function decryptJwe(text: string, key: DecryptionKey, budget: JsonBudget = jsonBudget()): Uint8Array {
  const segments = text.split('.', 6)
  if ((segments[0] ?? '').length > LIMITS.jweHeaderLength) throw new Malformed('the JWE header is too long')
  const [header, encryptedKey, iv, ciphertext, tag] = segments.map(decodeBase64url)
  const [headerText] = segments
  if (segments.length !== 5 || headerText === undefined || !header || !encryptedKey || !iv || !ciphertext || !tag) {
    throw new Malformed('the response is not a compact JWE')
  }
  // RFC 7518 §4.6: with direct key agreement there is no encrypted key.
  if (encryptedKey.length !== 0) throw new Malformed('the JWE has an encrypted key')
  const { encryption, ephemeralKey, partyInfo } = readHeader(header, key.kid, budget)
  const contentKey = deriveKey(agreedSecret(key.privateKey, ephemeralKey), encryption, partyInfo)
  return decryptContent(encryption, contentKey, { iv, ciphertext, tag, aad: ascii(headerText) })
}

export interface Sealed {
  readonly iv: Uint8Array
  readonly ciphertext: Uint8Array
  readonly tag: Uint8Array
  readonly aad: Uint8Array
}

/** Requires exactly the AES-GCM lengths of RFC 7518 §5.3, because a shorter tag is easier to guess. Throws Malformed. */
export function decryptContent(encryption: ContentEncryption, key: Uint8Array, sealed: Sealed): Uint8Array {
  const { cipher, keyBytes } = CONTENT_ENCRYPTIONS[encryption]
  const { iv, ciphertext, tag, aad } = sealed
  if (key.length !== keyBytes || iv.length !== IV_BYTES || tag.length !== TAG_BYTES) {
    throw new Malformed('the JWE has segments of a wrong length')
  }
  const decipher = createDecipheriv(cipher, key, iv, { authTagLength: TAG_BYTES })
  decipher.setAAD(aad)
  decipher.setAuthTag(tag)
  try {
    const content = decipher.update(ciphertext)
    // Throws if the tag does not match. GCM returns no bytes here.
    decipher.final()
    return content
  } catch {
    throw new Malformed('the JWE does not decrypt')
  }
}

interface Agreement {
  readonly encryption: ContentEncryption
  /** SubjectPublicKeyInfo, DER. */
  readonly ephemeralKey: Buffer
  /** `apu` and `apv`, which only the key derivation uses. */
  readonly partyInfo: readonly Uint8Array[]
}

function readHeader(bytes: Uint8Array, kid: string, budget: JsonBudget): Agreement {
  const text = decodeUtf8(bytes)
  if (text === null) throw new Malformed('the JWE header is not UTF-8 text')
  const header = parseJsonObject(text, budget)
  // A compressed plaintext could unpack to an excessive size. Critical extensions are not supported.
  if ('crit' in header || 'zip' in header)
    throw new Malformed('the JWE header has crit or zip, which are not supported')
  // OpenID4VP §8.3: the algorithm of our key, an encryption that our request named, and the key of this request.
  if (member(header, 'alg') !== 'ECDH-ES') throw new Malformed('the JWE is not encrypted with ECDH-ES')
  const encryption = CONTENT_ENCRYPTION_NAMES.find((name) => name === member(header, 'enc'))
  if (encryption === undefined) throw new Malformed('the JWE has a content encryption that was not offered')
  if (member(header, 'kid') !== kid) throw new Malformed('the JWE is not encrypted to the key of this request')
  return {
    encryption,
    ephemeralKey: readEphemeralKey(member(header, 'epk')),
    partyInfo: [readPartyInfo(header, 'apu'), readPartyInfo(header, 'apv')],
  }
}

/** Reads a P-256 key. The caller checks whether the point is on the curve. */
function readEphemeralKey(epk: Json | undefined): Buffer {
  const isPublicPoint = isJsonObject(epk) && epk.kty === 'EC' && epk.crv === 'P-256' && !('d' in epk)
  const key = isPublicPoint ? statedKey('ES256', readCoordinate(epk.x), readCoordinate(epk.y)) : null
  if (key === null) throw new Malformed('the JWE has no ephemeral key on P-256')
  return key.spki
}

/** OpenSSL refuses a point outside of the curve. This prevents invalid-curve attacks on our key. */
function agreedSecret(privateKey: KeyObject, spki: Buffer): Uint8Array {
  try {
    return diffieHellman({ privateKey, publicKey: { key: spki, format: 'der', type: 'spki' } })
  } catch {
    throw new Malformed('the ephemeral key of the JWE is not a point of its curve')
  }
}

function readPartyInfo(header: JsonObject, name: 'apu' | 'apv'): Uint8Array {
  const text = Object.hasOwn(header, name) ? header[name] : ''
  const bytes = typeof text === 'string' ? decodeBase64url(text) : null
  if (bytes === null) throw new Malformed('the JWE header has malformed party information')
  return bytes
}

/** Derives the key that encrypts the content, by direct key agreement. */
function deriveKey(secret: Uint8Array, encryption: ContentEncryption, partyInfo: readonly Uint8Array[]): Uint8Array {
  const { keyBytes } = CONTENT_ENCRYPTIONS[encryption]
  return concatKdf(secret, { algorithm: encryption, keyBytes, partyInfo })
}

const HASH_BYTES = 32

/** The Concat KDF of RFC 7518 §4.6.2 with SHA-256. */
export function concatKdf(
  secret: Uint8Array,
  key: { readonly algorithm: string; readonly keyBytes: number; readonly partyInfo: readonly Uint8Array[] },
): Uint8Array {
  const { algorithm, keyBytes, partyInfo } = key
  const fields = [ascii(algorithm), ...partyInfo].flatMap((field) => [uint32(field.length), field])
  const rounds = Array.from({ length: Math.ceil(keyBytes / HASH_BYTES) }, (_, round) =>
    sha256(concat(uint32(round + 1), secret, ...fields, uint32(keyBytes * 8))),
  )
  return concat(...rounds).subarray(0, keyBytes)
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}
