// Encrypts a compact JWE with ECDH-ES (RFC 7516, RFC 7518 §4.6, RFC 8037).

import {
  createCipheriv,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import { ascii, concat, encodeBase64url, encodeUtf8 } from '../bytes.ts'
import { importKey, readCoordinate, statedKey } from '../jose.ts'
import type { Json, JsonObject } from '../verdict.ts'
import { type ContentEncryption, concatKdf, IV_BYTES, TAG_BYTES } from './jwe.ts'

const CURVES = {
  'P-256': { kty: 'EC', algorithm: 'ES256', isCostly: false },
  'P-384': { kty: 'EC', algorithm: 'ES384', isCostly: true },
  'P-521': { kty: 'EC', algorithm: 'ES512', isCostly: true },
  X25519: { kty: 'OKP', isCostly: false },
} as const
export type Curve = keyof typeof CURVES
export const CURVES_WRITTEN = Object.keys(CURVES) as readonly Curve[]

/** Whether the curve is costly: the larger ones cost 14 and 29 times as much as P-256. */
export const isCostly = (curve: Curve): boolean => CURVES[curve].isCostly

/** A public key to encrypt to. */
export interface Recipient {
  readonly curve: Curve
  readonly key: KeyObject
}

/** Builds a P-256 key from the coordinates of a JWK; null if they are not a point of the curve. */
export function recipientOf(x: Json | undefined, y: Json | undefined): Recipient | null {
  return recipientOfJwk({ kty: 'EC', crv: 'P-256', x: x ?? null, y: y ?? null })
}

/** Returns null if the JWK is not a key on a supported curve. */
export function recipientOfJwk(jwk: JsonObject): Recipient | null {
  const curve = curveOf(jwk)
  if (curve === null) return null
  const row = CURVES[curve]
  if (row.kty === 'OKP') return montgomeryKey(readCoordinate(jwk.x))
  const stated = statedKey(row.algorithm, readCoordinate(jwk.x), readCoordinate(jwk.y))
  const imported = stated === null ? null : importKey(stated)
  return imported === null ? null : { curve, key: imported.key }
}

/** Returns the curve that a JWK names; null if it is not supported. */
export function curveOf({ kty, crv }: JsonObject): Curve | null {
  return CURVES_WRITTEN.find((name) => name === crv && CURVES[name].kty === kty) ?? null
}

/** RFC 8410. */
const X25519_SPKI = Buffer.from('302a300506032b656e032100', 'hex')

function montgomeryKey(x: Uint8Array | null): Recipient | null {
  if (x?.length !== 32) return null
  const key = createPublicKey({ format: 'der', type: 'spki', key: Buffer.concat([X25519_SPKI, x]) })
  return { curve: 'X25519', key }
}

/** The costly result of an encryption: an ephemeral key, and the secret that both sides compute. */
export interface AgreedSecret {
  readonly epk: JsonObject
  readonly secret: Uint8Array
}

/** Returns null if the key is of small order, because then anyone can compute the secret (RFC 7748 §6.1). */
export function agreeWith({ curve, key }: Recipient): AgreedSecret | null {
  const ephemeral =
    curve === 'X25519' ? generateKeyPairSync('x25519') : generateKeyPairSync('ec', { namedCurve: curve })
  const epk = ephemeral.publicKey.export({ format: 'jwk' }) as JsonObject
  try {
    return { epk, secret: diffieHellman({ privateKey: ephemeral.privateKey, publicKey: key }) }
  } catch {
    return null
  }
}

/** How the content key is wrapped; null: the agreed key itself is the content key. */
const AGREEMENTS = {
  'ECDH-ES': null,
  'ECDH-ES+A256KW': { cipher: 'id-aes256-wrap', keyBytes: 32 },
  'ECDH-ES+A128KW': { cipher: 'id-aes128-wrap', keyBytes: 16 },
} as const
export type KeyAgreement = keyof typeof AGREEMENTS
/** In order of preference: the simplest first. */
export const KEY_AGREEMENTS = Object.keys(AGREEMENTS) as readonly KeyAgreement[]

/** RFC 7518 §5. A method with a `mac` is AES-CBC with HMAC; each uses half of the key. */
const CONTENT = {
  A256GCM: { cipher: 'aes-256-gcm', keyBytes: 32, mac: null },
  A128GCM: { cipher: 'aes-128-gcm', keyBytes: 16, mac: null },
  'A256CBC-HS512': { cipher: 'aes-256-cbc', keyBytes: 64, mac: 'sha512' },
  'A128CBC-HS256': { cipher: 'aes-128-cbc', keyBytes: 32, mac: 'sha256' },
} as const satisfies Record<ContentEncryption | string, { cipher: string; keyBytes: number; mac: string | null }>
export type WrittenEncryption = keyof typeof CONTENT
/** In order of preference: GCM before CBC, longer keys first. */
export const CONTENT_ENCRYPTIONS_WRITTEN = Object.keys(CONTENT) as readonly WrittenEncryption[]

interface JweTerms {
  readonly agreed: AgreedSecret
  readonly agreement: KeyAgreement
  readonly encryption: WrittenEncryption
  /** In addition to `alg`, `enc`, `apv` and `epk`. */
  readonly header: JsonObject
  /** Identifies the recipient, in the key derivation and in the header (`apv`). */
  readonly partyVInfo?: Uint8Array
}

type Random = (bytes: number) => Uint8Array

/** Encrypts by direct key agreement, to a key of ours or of a merchant. */
export function encryptJwe(
  plaintext: Uint8Array,
  { key, ...terms }: Omit<JweTerms, 'agreed' | 'agreement'> & { readonly key: Recipient },
  random: Random,
): string {
  const agreed = agreeWith(key)
  if (agreed === null) throw new Error('bug: the key cannot be used for encryption')
  return encryptAgreed(plaintext, { ...terms, agreed, agreement: 'ECDH-ES' }, random)
}

export function encryptAgreed(plaintext: Uint8Array, terms: JweTerms, random: Random): string {
  const { agreed, agreement, encryption, partyVInfo } = terms
  const header = {
    alg: agreement,
    enc: encryption,
    ...terms.header,
    ...(partyVInfo !== undefined && { apv: encodeBase64url(partyVInfo) }),
    epk: agreed.epk,
  }
  const headerText = encodeBase64url(encodeUtf8(JSON.stringify(header)))
  const { contentKey, encryptedKey } = keysOf(terms, random)
  const { iv, ciphertext, tag } = encryptContent(encryption, contentKey, { plaintext, aad: ascii(headerText), random })
  return [headerText, ...[encryptedKey, iv, ciphertext, tag].map(encodeBase64url)].join('.')
}

function keysOf({ agreed, agreement, encryption, partyVInfo }: JweTerms, random: Random) {
  const partyInfo = [NOTHING, partyVInfo ?? NOTHING]
  const { keyBytes } = CONTENT[encryption]
  const wrap = AGREEMENTS[agreement]
  // RFC 7518 §4.6.2: the key derivation includes the algorithm that will use the agreed key.
  if (wrap === null)
    return {
      contentKey: concatKdf(agreed.secret, { algorithm: encryption, keyBytes, partyInfo }),
      encryptedKey: NOTHING,
    }
  const contentKey = random(keyBytes)
  const wrapping = concatKdf(agreed.secret, { algorithm: agreement, keyBytes: wrap.keyBytes, partyInfo })
  const cipher = createCipheriv(wrap.cipher, wrapping, WRAP_IV)
  return { contentKey, encryptedKey: Buffer.concat([cipher.update(contentKey), cipher.final()]) }
}

/** RFC 3394 §2.2.3.1. */
const WRAP_IV = Buffer.alloc(8, 0xa6)
const NOTHING = new Uint8Array()
const CBC_IV_BYTES = 16

function encryptContent(
  encryption: WrittenEncryption,
  key: Uint8Array,
  { plaintext, aad, random }: { readonly plaintext: Uint8Array; readonly aad: Uint8Array; readonly random: Random },
) {
  const row = CONTENT[encryption]
  if (row.mac === null) {
    const iv = random(IV_BYTES)
    const cipher = createCipheriv(row.cipher, key, iv, { authTagLength: TAG_BYTES })
    cipher.setAAD(aad)
    const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
    return { iv, ciphertext, tag: cipher.getAuthTag() }
  }
  const half = row.keyBytes / 2
  const iv = random(CBC_IV_BYTES)
  const cipher = createCipheriv(row.cipher, key.subarray(half), iv)
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  // RFC 7518 §5.2.2.1: the MAC also covers the length of the header in bits. The first half of the MAC is the tag.
  const bits = Buffer.alloc(8)
  bits.writeBigUInt64BE(BigInt(aad.length) * 8n)
  const tag = createHmac(row.mac, key.subarray(0, half))
    .update(concat(aad, iv, ciphertext, bits))
    .digest()
  return { iv, ciphertext, tag: tag.subarray(0, half) }
}
