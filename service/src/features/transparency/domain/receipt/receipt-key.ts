// The keys that sign receipts. Public keys are never deleted, so that every receipt stays verifiable.

import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { SigningKey } from '../../../../platform/keys/signing-key.ts'
import { encodePinnedKey, type PinnedKey } from '../../../../platform/keys/stored-key.ts'
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
  /** The key signs from this time on, until a later key becomes active. */
  readonly activeAt: Instant
}

export const receiptKeySealContext = (kid: string) => `receipt_keys.private_key|service|${kid}`

export interface NewReceiptKey extends ReceiptKey {
  /** The key in the form that `openStoredKey` reads. */
  readonly privateKey: Uint8Array
}

export function newReceiptKey(nowMs: number, publishedBeforeMs: number): NewReceiptKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const bytes = privateKey.export({ format: 'der', type: 'pkcs8' })
  return receiptKeyOf(publicKey, bytes, { nowMs, publishedBeforeMs })
}

/** A key in an HSM or key service. */
export const pinnedReceiptKey = (pinned: PinnedKey, nowMs: number, publishedBeforeMs: number): NewReceiptKey =>
  receiptKeyOf(pinned.publicKey, encodePinnedKey(pinned), { nowMs, publishedBeforeMs })

function receiptKeyOf(
  publicKey: KeyObject,
  privateKey: Uint8Array,
  { nowMs, publishedBeforeMs }: { readonly nowMs: number; readonly publishedBeforeMs: number },
): NewReceiptKey {
  const { kty = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' })
  // RFC 7638.
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
  return {
    kid,
    publicJwk: { kty, crv, x, y, kid, use: 'sig', alg: 'ES256' },
    privateKey,
    createdAt: instantOf(nowMs),
    activeAt: instantOf(nowMs + publishedBeforeMs),
  }
}

/** Returns the key that signs at this time: of the active keys, the last one. */
export function signingKeyAt<Key extends ReceiptKey>(keys: readonly Key[], nowMs: number): Key | null {
  const active = keys.filter(({ activeAt }) => millisecondsOf(activeAt) <= nowMs)
  return active.reduce<Key | null>(
    (last, key) => (last === null || `${key.activeAt} ${key.kid}` > `${last.activeAt} ${last.kid}` ? key : last),
    null,
  )
}

/** Throws if the private key does not match the public one, because its signatures would not verify. */
export function receiptSignerOf({ kid, publicJwk }: ReceiptKey, key: SigningKey): ReceiptSigner {
  const { x, y } = key.publicKey.export({ format: 'jwk' })
  if (x !== publicJwk.x || y !== publicJwk.y) {
    throw new Error('the receipt key in the store is not the one that it was published as')
  }
  return receiptSigner(kid, key)
}
