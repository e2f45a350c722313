// Creates the secrets of a sign-in: browser cookie, code and access token. Only their hashes are stored.

import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import type { JsonObject } from '@vidimus/engine'
import { padJson } from '../../../platform/seal/pad-json.ts'
import type { Random } from '../../../platform/world.ts'

export const CODE_SECONDS = 60
export const TOKEN_SECONDS = 300
export const ID_TOKEN_SECONDS = 300

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** RFC 7636 §4.6, S256 only. */
export function fitsChallenge(verifier: string, challenge: string): boolean {
  return (
    /^[\w.~-]{43,128}$/.test(verifier) &&
    createHash('sha256').update(verifier, 'ascii').digest('base64url') === challenge
  )
}

/** OpenID Connect Core §3.1.3.6: the left half of the hash, for at_hash and c_hash. */
export const halfHash = (text: string) =>
  createHash('sha256').update(text, 'ascii').digest().subarray(0, 16).toString('base64url')

/**
 * The hash of an access token that is bound to a key (RFC 9449). It includes the key, so the token is never found as a
 * bearer token.
 */
export const boundTokenHash = (token: string, jkt: string) =>
  createHash('sha256').update(`vidimus-oidc-dpop_token-v1\0${token}\0${jkt}`).digest()

/** `id` is the id of the sign-in. */
export function encryptToToken(
  claims: JsonObject,
  { token, id, random }: { readonly token: string; readonly id: string; readonly random: Random },
): Buffer {
  const nonce = random(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(token), nonce)
  cipher.setAAD(Buffer.from(id, 'utf8'))
  const body = cipher.update(padJson(JSON.stringify(claims)))
  return Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()])
}

export function decryptWithToken(
  encrypted: Buffer,
  { token, id }: { readonly token: string; readonly id: string },
): JsonObject {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(token), encrypted.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(id, 'utf8'))
  decipher.setAuthTag(encrypted.subarray(-TAG_BYTES))
  const text = Buffer.concat([decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  return JSON.parse(text.toString('utf8'))
}

const keyOf = (token: string) =>
  Buffer.from(hkdfSync('sha256', Buffer.from(token, 'base64url'), new Uint8Array(0), 'vidimus|oidc-userinfo-v1', 32))
