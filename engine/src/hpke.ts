// Decrypts an HPKE message (RFC 9180, base mode) with the suite of ISO 18013-7 C.4.

import { createDecipheriv, createHmac, diffieHellman, type KeyObject } from 'node:crypto'
import { ascii, concat, Malformed } from './bytes.ts'
import { statedKey } from './jose.ts'

const POINT_BYTES = 65
const COORDINATE_BYTES = 32
const UNCOMPRESSED = 4
const KEY_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16

const KEM = concat(ascii('KEM'), Uint8Array.of(0, 0x10))
const SUITE = concat(ascii('HPKE'), Uint8Array.of(0, 0x10, 0, 1, 0, 1))
const MODE_BASE = Uint8Array.of(0)
const NONE = new Uint8Array()
const NO_SALT = new Uint8Array(32)

/** The hash of the empty id of a pre-shared key, which all messages in base mode use. */
const NO_PSK = extract(SUITE, NO_SALT, 'psk_id_hash', NONE)

interface Encapsulated {
  /** The shared secret of RFC 9180 §4.1. It does not depend on `info`. */
  readonly secret: Uint8Array
}

/** Our key pair. `point` must be its public key. */
export interface Recipient {
  readonly privateKey: KeyObject
  /** The public key: 04 | x | y. */
  readonly point: Uint8Array
}

/** Runs one key agreement. Throws Malformed if `enc` is not an uncompressed point of the curve. */
export function decapsulate(encapsulated: Uint8Array, { privateKey, point }: Recipient): Encapsulated {
  if (encapsulated.length !== POINT_BYTES || encapsulated[0] !== UNCOMPRESSED)
    throw new Malformed('the encapsulated key is not an uncompressed point of P-256')
  const agreed = agreedSecret(privateKey, encapsulated)
  const context = concat(encapsulated, point)
  return { secret: expand(KEM, extract(KEM, NO_SALT, 'eae_prk', agreed), 'shared_secret', context, 32) }
}

/**
 * Returns the plaintext. null: encrypted with another `info` or to another key, or changed since. Proves nothing about
 * the sender, because anyone with our public key can encrypt.
 */
export function openSealed(
  { secret }: Encapsulated,
  sealed: { readonly info: Uint8Array; readonly aad: Uint8Array; readonly cipherText: Uint8Array },
): Uint8Array | null {
  const { info, aad, cipherText } = sealed
  if (cipherText.length < TAG_BYTES) return null
  const context = concat(MODE_BASE, NO_PSK, extract(SUITE, NO_SALT, 'info_hash', info))
  const master = extract(SUITE, secret, 'secret', NONE)
  const key = expand(SUITE, master, 'key', context, KEY_BYTES)
  const nonce = expand(SUITE, master, 'base_nonce', context, NONCE_BYTES)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(aad)
  decipher.setAuthTag(cipherText.subarray(cipherText.length - TAG_BYTES))
  try {
    return concat(decipher.update(cipherText.subarray(0, cipherText.length - TAG_BYTES)), decipher.final())
  } catch {
    return null
  }
}

/** OpenSSL refuses a point outside of the curve. This prevents invalid-curve attacks on our key. */
function agreedSecret(privateKey: KeyObject, point: Uint8Array): Uint8Array {
  const x = point.subarray(1, 1 + COORDINATE_BYTES)
  const stated = statedKey('ES256', x, point.subarray(1 + COORDINATE_BYTES))
  if (stated === null) throw new Malformed('the encapsulated key is not an uncompressed point of P-256')
  try {
    return diffieHellman({ privateKey, publicKey: { key: stated.spki, format: 'der', type: 'spki' } })
  } catch {
    throw new Malformed('the encapsulated key is not a point of its curve')
  }
}

/** LabeledExtract of RFC 9180 §4. */
function extract(suite: Uint8Array, salt: Uint8Array, label: string, material: Uint8Array): Uint8Array {
  return hmac(salt, concat(ascii('HPKE-v1'), suite, ascii(label), material))
}

/** LabeledExpand of RFC 9180 §4. One block of HKDF-Expand is always enough here. */
function expand(suite: Uint8Array, key: Uint8Array, label: string, info: Uint8Array, length: number): Uint8Array {
  const labelled = concat(Uint8Array.of(0, length), ascii('HPKE-v1'), suite, ascii(label), info)
  return hmac(key, concat(labelled, Uint8Array.of(1))).subarray(0, length)
}

function hmac(key: Uint8Array, data: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(data).digest()
}
