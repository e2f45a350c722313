// The installation's keys that sign receipts, one after the other. A public key is never deleted, so that every receipt
// stays verifiable; a new one is published for a while before it signs, so that copies of the key set include it.

import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { type Instant, instantOf, millisecondsOf } from '../../../../platform/world.ts'
import { type ReceiptSigner, receiptSigner } from './receipt.ts'

/** How long a new key is published before it signs. */
export const PUBLISHED_BEFORE_MS = 3_600_000

/** RFC 7517. */
export interface ReceiptJwk {
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly y: string
  readonly kid: string
  readonly use: string
  readonly alg: string
}

export interface ReceiptKey {
  readonly kid: string
  readonly publicJwk: ReceiptJwk
  readonly createdAt: Instant
  /** From then on it signs, until a later one does. */
  readonly activeAt: Instant
}

export const receiptKeySealContext = (kid: string) => `receipt_keys.private_key|service|${kid}`

export interface NewReceiptKey extends ReceiptKey {
  /** PKCS #8, DER. */
  readonly privateKey: Uint8Array
}

export function newReceiptKey(nowMs: number, publishedBeforeMs: number): NewReceiptKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' })
  // RFC 7638.
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
  return {
    kid,
    publicJwk: { kty, crv, x, y, kid, use: 'sig', alg: 'ES256' },
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }),
    createdAt: instantOf(nowMs),
    activeAt: instantOf(nowMs + publishedBeforeMs),
  }
}

/** The key that signs now: the last whose time has come. */
export function signingKeyAt<Key extends ReceiptKey>(keys: readonly Key[], nowMs: number): Key | null {
  const active = keys.filter(({ activeAt }) => millisecondsOf(activeAt) <= nowMs)
  return active.reduce<Key | null>(
    (last, key) => (last === null || `${key.activeAt} ${key.kid}` > `${last.activeAt} ${last.kid}` ? key : last),
    null,
  )
}

/** Throws if the private key does not match the public one: no signature of it would verify. */
export function receiptSignerOf(key: ReceiptKey, der: Buffer): ReceiptSigner {
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  if (createPublicKey(privateKey).export({ format: 'jwk' }).x !== key.publicJwk.x) {
    throw new Error('the receipt key in the store is not the one that it was published as')
  }
  return receiptSigner(key.kid, privateKey)
}
