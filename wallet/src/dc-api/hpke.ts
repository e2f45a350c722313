// Sealing to a verifier by HPKE (RFC 9180), base mode, one message: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM. On
// Web Crypto, so that nothing here is shared with whoever opens it.

import type { PrivateJwk, PublicJwk } from '../keys.ts'
import { fromBase64url, generateKey, publicJwk } from '../keys.ts'

export interface Sealed {
  /** The ephemeral public key, uncompressed. */
  readonly enc: Uint8Array
  readonly cipherText: Uint8Array
}

export interface Sealing {
  readonly recipient: PublicJwk
  readonly info: Uint8Array
  readonly aad?: Uint8Array
  readonly plaintext: Uint8Array
  /** A new one where it is not given. */
  readonly ephemeral?: PrivateJwk
}

const { subtle } = globalThis.crypto
const text = (value: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(value)
const KEM = joined(text('KEM'), Uint8Array.of(0, 0x10))
const SUITE = joined(text('HPKE'), Uint8Array.of(0, 0x10, 0, 1, 0, 1))
const NONE = new Uint8Array(0)

export async function sealHpke(sealing: Sealing): Promise<Sealed> {
  const { enc, key, iv } = await keysFor(sealing)
  const cipher = await subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt'])
  const parameters = { name: 'AES-GCM', iv, additionalData: joined(sealing.aad ?? NONE), tagLength: 128 }
  return { enc, cipherText: new Uint8Array(await subtle.encrypt(parameters, cipher, joined(sealing.plaintext))) }
}

/** What the message is encrypted with, and what tells the recipient. */
export async function keysFor(sealing: Pick<Sealing, 'recipient' | 'info' | 'ephemeral'>) {
  const ephemeral = sealing.ephemeral ?? generateKey()
  const enc = pointOf(ephemeral)
  const agreed = await agree(ephemeral, sealing.recipient)
  const eae = await extract(KEM, NONE, 'eae_prk', agreed)
  const shared = await expand(KEM, eae, 'shared_secret', { info: joined(enc, pointOf(sealing.recipient)), length: 32 })
  const info = joined(
    Uint8Array.of(0),
    await extract(SUITE, NONE, 'psk_id_hash', NONE),
    await extract(SUITE, NONE, 'info_hash', sealing.info),
  )
  const secret = await extract(SUITE, shared, 'secret', NONE)
  const key = await expand(SUITE, secret, 'key', { info, length: 16 })
  const iv = await expand(SUITE, secret, 'base_nonce', { info, length: 12 })
  return { enc, key, iv }
}

export function pointOf({ x, y }: PublicJwk): Uint8Array<ArrayBuffer> {
  return joined(Uint8Array.of(4), fromBase64url(x), fromBase64url(y ?? ''))
}

async function agree(own: PrivateJwk, other: PublicJwk): Promise<Uint8Array> {
  const ecdh = { name: 'ECDH', namedCurve: 'P-256' }
  const privateKey = await subtle.importKey('jwk', { ...publicJwk(own), d: own.d }, ecdh, false, ['deriveBits'])
  const publicKey = await subtle.importKey('jwk', { ...publicJwk(other) }, ecdh, false, [])
  return new Uint8Array(await subtle.deriveBits({ name: 'ECDH', public: publicKey }, privateKey, 256))
}

async function extract(suite: Uint8Array, salt: Uint8Array, label: string, material: Uint8Array): Promise<Uint8Array> {
  return hmac(salt.length === 0 ? new Uint8Array(32) : salt, joined(text('HPKE-v1'), suite, text(label), material))
}

interface Wanted {
  readonly info: Uint8Array
  readonly length: number
}

async function expand(
  suite: Uint8Array,
  secret: Uint8Array,
  label: string,
  { info, length }: Wanted,
): Promise<Uint8Array<ArrayBuffer>> {
  const labelled = joined(Uint8Array.of(0, length), text('HPKE-v1'), suite, text(label), info, Uint8Array.of(1))
  return (await hmac(secret, labelled)).slice(0, length)
}

async function hmac(secret: Uint8Array, data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const key = await subtle.importKey('raw', joined(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await subtle.sign('HMAC', key, data))
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts))
}
