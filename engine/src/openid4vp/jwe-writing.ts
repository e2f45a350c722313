// For whose eyes only? A compact JWE by ECDH-ES on P-256 with AES-GCM (RFC 7516, RFC 7518 §4.6), to a key whose owner alone reads it.

import { createCipheriv, diffieHellman, generateKeyPairSync } from 'node:crypto'
import { ascii, encodeBase64url, encodeUtf8 } from '../bytes.ts'
import { type ImportedKey, importKey, readCoordinate, statedKey } from '../jose.ts'
import type { Json, JsonObject } from '../verdict.ts'
import { CONTENT_ENCRYPTIONS, type ContentEncryption, deriveKey, IV_BYTES, TAG_BYTES } from './jwe.ts'

/** The one curve that is encrypted to. */
export const CURVE = 'P-256'

/** A public key by its coordinates, as a JWK has them; null where they are no point of the curve. */
export function recipientOf(x: Json | undefined, y: Json | undefined): ImportedKey | null {
  const stated = statedKey('ES256', readCoordinate(x), readCoordinate(y))
  return stated === null ? null : importKey(stated)
}

interface JweTerms {
  readonly key: ImportedKey
  readonly encryption: ContentEncryption
  /** In addition to `alg`, `enc`, `apv` and `epk`. */
  readonly header: JsonObject
  /** The recipient, in addition to the key: part of the key derivation and of the header. */
  readonly partyVInfo?: Uint8Array
}

export function encryptJwe(plaintext: Uint8Array, terms: JweTerms, random: (bytes: number) => Uint8Array): string {
  const { key, encryption, partyVInfo } = terms
  const ephemeral = generateKeyPairSync('ec', { namedCurve: CURVE })
  const header = {
    alg: 'ECDH-ES',
    enc: encryption,
    ...terms.header,
    ...(partyVInfo !== undefined && { apv: encodeBase64url(partyVInfo) }),
    epk: ephemeral.publicKey.export({ format: 'jwk' }),
  }
  const headerText = encodeBase64url(encodeUtf8(JSON.stringify(header)))
  const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: key.key })
  const iv = random(IV_BYTES)
  const contentKey = deriveKey(secret, encryption, [NOTHING, partyVInfo ?? NOTHING])
  const cipher = createCipheriv(CONTENT_ENCRYPTIONS[encryption].cipher, contentKey, iv, { authTagLength: TAG_BYTES })
  cipher.setAAD(ascii(headerText))
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return [headerText, '', ...[iv, ciphertext, cipher.getAuthTag()].map(encodeBase64url)].join('.')
}

const NOTHING = new Uint8Array()
