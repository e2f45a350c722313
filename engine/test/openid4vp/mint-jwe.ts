// Encrypts a response as a wallet does (RFC 7516, RFC 7518 §4.6), with a hook for each value that a test may change.

import {
  createCipheriv,
  createHash,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

export interface JwePlan {
  readonly kid?: string
  readonly enc?: 'A128GCM' | 'A256GCM'
  /** Merged into the valid header; undefined removes a member. */
  readonly header?: Record<string, unknown>
  readonly headerText?: (text: string) => string
  /** An existing key agreement instead of a new one. */
  readonly agreed?: { readonly epk: unknown; readonly secret: Uint8Array }
  readonly segments?: (segments: string[]) => string[]
}

export function encrypt(plaintext: string | Uint8Array, publicKey: KeyObject, plan: JwePlan = {}): string {
  const { enc = 'A128GCM' } = plan
  const ephemeral = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const header: Record<string, unknown> = {
    alg: 'ECDH-ES',
    enc,
    kid: plan.kid,
    epk: plan.agreed?.epk ?? ephemeral.publicKey.export({ format: 'jwk' }),
    ...plan.header,
  }
  const keyBytes = enc === 'A128GCM' ? 16 : 32
  const hash = createHash('sha256')
    .update(uint32(1))
    .update(plan.agreed?.secret ?? diffieHellman({ privateKey: ephemeral.privateKey, publicKey }))
  for (const field of [Buffer.from(enc), partyInfo(header.apu), partyInfo(header.apv)])
    hash.update(uint32(field.length)).update(field)
  const key = hash
    .update(uint32(keyBytes * 8))
    .digest()
    .subarray(0, keyBytes)
  const text = (plan.headerText ?? ((same) => same))(JSON.stringify(header))
  const encoded = Buffer.from(text).toString('base64url')
  const iv = randomBytes(12)
  const cipher = createCipheriv(enc === 'A128GCM' ? 'aes-128-gcm' : 'aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(encoded))
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(plaintext)), cipher.final()])
  const segments = [
    encoded,
    '',
    iv.toString('base64url'),
    ciphertext.toString('base64url'),
    cipher.getAuthTag().toString('base64url'),
  ]
  return (plan.segments ?? ((same) => same))(segments).join('.')
}

function partyInfo(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value : '', 'base64url')
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
