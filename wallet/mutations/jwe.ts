// Builds a JWE by hand (RFC 7516, RFC 7518 4.6), so that each of its parts can be wrong while the rest is right.

import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import type { JsonObject } from '../src/encoding/json.ts'
import type { PrivateJwk, PublicJwk } from '../src/keys.ts'
import { agree, generateKey, publicJwk, toBase64url } from '../src/keys.ts'

export interface JweHooks {
  readonly header?: (header: JsonObject) => JsonObject
  readonly plaintext?: string | Uint8Array
  /** The text of the header, for texts that JSON.stringify would not write. */
  readonly headerText?: (text: string) => string
  readonly ephemeralKey?: PrivateJwk
  readonly segments?: (segments: readonly string[]) => readonly string[]
}

export interface JweFields {
  readonly payload: JsonObject
  readonly key: PublicJwk
  readonly kid: string
}

export function assembleJwe(fields: JweFields, hooks: JweHooks = {}): string {
  const ephemeral = hooks.ephemeralKey ?? generateKey()
  const usual: JsonObject = { alg: 'ECDH-ES', enc: 'A128GCM', kid: fields.kid, epk: { ...publicJwk(ephemeral) } }
  const header = hooks.header?.(usual) ?? usual
  const text = JSON.stringify(header)
  const protectedHeader = Buffer.from(hooks.headerText?.(text) ?? text).toString('base64url')
  const secret = concatKdf(agree(ephemeral, fields.key), header)
  const iv = randomBytes(12)
  const cipher = createCipheriv(secret.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm', secret, iv)
  cipher.setAAD(Buffer.from(protectedHeader))
  const plaintext = hooks.plaintext ?? JSON.stringify(fields.payload)
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  const segments = [protectedHeader, '', toBase64url(iv), toBase64url(ciphertext), toBase64url(cipher.getAuthTag())]
  return (hooks.segments?.(segments) ?? segments).join('.')
}

/** RFC 7518 4.6.2 for direct agreement: the algorithm id is the name of the content encryption. */
function concatKdf(secret: Uint8Array, header: JsonObject): Uint8Array {
  const enc = typeof header.enc === 'string' ? header.enc : 'A128GCM'
  const length = enc === 'A128GCM' ? 16 : 32
  const input = Buffer.concat([
    uint32(1),
    secret,
    withLength(Buffer.from(enc)),
    withLength(party(header.apu)),
    withLength(party(header.apv)),
    uint32(length * 8),
  ])
  return new Uint8Array(createHash('sha256').update(input).digest()).slice(0, length)
}

function party(value: unknown): Uint8Array {
  return typeof value === 'string' ? Buffer.from(value, 'base64url') : new Uint8Array()
}

function withLength(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([uint32(bytes.length), bytes])
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
