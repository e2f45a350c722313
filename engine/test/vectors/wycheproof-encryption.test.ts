// Tests JWE with Wycheproof: JWE abuse, invalid curve points through ECDH-ES, AES-GCM tags.

import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { Malformed } from '../../src/bytes.ts'
import { type ContentEncryption, decryptContent, decryptJwe } from '../../src/openid4vp/jwe.ts'
import type { JsonObject } from '../../src/verdict.ts'
import { encrypt } from '../openid4vp/mint-jwe.ts'
import { type Judge, runWycheproof } from './wycheproof.ts'

function decrypts(decrypt: () => Uint8Array, plaintext: Uint8Array | null): boolean {
  try {
    const bytes = Buffer.from(decrypt())
    return plaintext === null || bytes.equals(plaintext)
  } catch (error) {
    if (error instanceof Malformed) return false
    throw error
  }
}

function importPrivate(jwk: JsonObject): KeyObject | null {
  const { kty, crv, x, y, d } = jwk
  if (kty !== 'EC' || crv !== 'P-256') return null
  return createPrivateKey({ format: 'jwk', key: { kty, crv, x: String(x), y: String(y), d: String(d) } })
}

// For cases whose key we could never have published, we use a valid key: they must be refused for their header.
const ours = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

const jwe: Judge = (vector, group) => {
  if (typeof vector.jwe !== 'string') return { accepted: false, notApplicable: 'a JWS: the JWS tests run it' }
  const jwk = group.private as JsonObject
  const key = importPrivate(jwk)
  const plaintext = typeof vector.pt === 'string' ? Buffer.from(vector.pt, 'hex') : null
  const text = vector.jwe
  const accepted = decrypts(() => decryptJwe(text, { privateKey: key ?? ours, kid: String(jwk.kid) }), plaintext)
  if (vector.result === 'invalid') return { accepted }
  const { alg, enc, kid } = headerOf(text)
  if (alg !== 'ECDH-ES') return { accepted, notApplicable: 'only direct ECDH-ES was offered' }
  if (key === null) return { accepted, notApplicable: 'only keys on P-256 are offered' }
  if (enc !== 'A128GCM' && enc !== 'A256GCM')
    return { accepted, notApplicable: 'only AES-GCM with 128 or 256 bits was offered' }
  if (kid === undefined)
    return { accepted, notApplicable: 'our keys have names, and a response must give it (OpenID4VP §8.3)' }
  return { accepted }
}

function headerOf(text: string): Record<string, string | undefined> {
  return JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString())
}

runWycheproof('json_web_encryption', jwe)
runWycheproof('json_web_crypto', jwe)

/** A response encrypted with the vector's shared secret must be readable only with the vector's private key. */
runWycheproof('ecdh_secp256r1_webcrypto', (vector) => {
  const privateKey = importPrivate(vector.private as JsonObject)
  if (privateKey === null) return { accepted: false }
  const secret = Buffer.from(String(vector.shared), 'hex')
  const text = encrypt('plain', ours, { kid: 'kid', agreed: { epk: vector.public, secret } })
  return { accepted: decrypts(() => decryptJwe(text, { privateKey, kid: 'kid' }), Buffer.from('plain')) }
})

runWycheproof('aes_gcm', (vector, group) => {
  const [key, iv, aad, ciphertext, tag, plaintext] = ['key', 'iv', 'aad', 'ct', 'tag', 'msg'].map((name) =>
    Buffer.from(String(vector[name]), 'hex'),
  )
  if (!key || !iv || !aad || !ciphertext || !tag || !plaintext) return { accepted: false }
  const encryption: ContentEncryption = group.keySize === 256 ? 'A256GCM' : 'A128GCM'
  const accepted = decrypts(() => decryptContent(encryption, key, { iv, ciphertext, tag, aad }), plaintext)
  if (vector.result === 'invalid') return { accepted }
  if (group.keySize === 192) return { accepted, notApplicable: 'a key of 192 bits was not offered' }
  if (group.ivSize !== 96) return { accepted, notApplicable: 'RFC 7518 §5.3 fixes the IV at 96 bits' }
  return { accepted }
})
