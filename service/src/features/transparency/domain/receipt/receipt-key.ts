// The keys that receipts are signed with: the installation's, one after the other. A public half is never deleted, so that every
// receipt can be verified for ever; a new one is published for a while before it signs, so that whoever keeps a copy has it by then.

import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { Sealer } from '../../../../platform/seal/seal.ts'
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
  readonly sealedKey: Uint8Array
  readonly createdAt: Instant
  /** From then on it signs, until a later one does. */
  readonly activeAt: Instant
}

export const receiptKeySealContext = (kid: string) => `receipt_keys.private_key|service|${kid}`

export function newReceiptKey(sealer: Pick<Sealer, 'seal'>, nowMs: number, publishedBeforeMs: number): ReceiptKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' })
  // RFC 7638.
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
  return {
    kid,
    publicJwk: { kty, crv, x, y, kid, use: 'sig', alg: 'ES256' },
    sealedKey: sealer.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), receiptKeySealContext(kid)),
    createdAt: instantOf(nowMs),
    activeAt: instantOf(nowMs + publishedBeforeMs),
  }
}

/** The one that signs now: of those whose time has come, the last. */
export function signingKeyAt(keys: readonly ReceiptKey[], nowMs: number): ReceiptKey | null {
  const active = keys.filter(({ activeAt }) => millisecondsOf(activeAt) <= nowMs)
  return active.reduce<ReceiptKey | null>(
    (last, key) => (last === null || `${key.activeAt} ${key.kid}` > `${last.activeAt} ${last.kid}` ? key : last),
    null,
  )
}

/** Throws where the sealed half is not that of the public one: what it signs could be verified by nobody. */
export function openReceiptKey(sealer: Pick<Sealer, 'open'>, key: ReceiptKey): ReceiptSigner {
  const der = sealer.open(key.sealedKey, receiptKeySealContext(key.kid))
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  if (createPublicKey(privateKey).export({ format: 'jwk' }).x !== key.publicJwk.x) {
    throw new Error('the receipt key in the store is not the one that it was published as')
  }
  return receiptSigner(key.kid, privateKey)
}
