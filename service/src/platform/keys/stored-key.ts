// Encodes a signing key for the store: a local key as PKCS #8, a key outside as its reference and pinned public key.

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { algorithmOf, type KeyAlgorithm, localKey, type SigningKey } from './signing-key.ts'

/** A key outside of this process. `publicKey` checks its signatures, even if the provider reports another one. */
export interface PinnedKey {
  readonly reference: string
  readonly algorithm: KeyAlgorithm
  readonly publicKey: KeyObject
}

/** Does not call the provider before the first signature. */
export type OpenPinnedKey = (pinned: PinnedKey) => SigningKey

export function encodePinnedKey({ reference, algorithm, publicKey }: PinnedKey): Buffer {
  const spki = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  return Buffer.from(JSON.stringify({ reference, algorithm, spki }), 'utf8')
}

/** DER begins with a SEQUENCE, and JSON with a brace. Throws for anything else. */
export function decodeStoredKey(bytes: Uint8Array): PinnedKey | KeyObject {
  if (bytes[0] === 0x30) return createPrivateKey({ key: Buffer.from(bytes), format: 'der', type: 'pkcs8' })
  const stored: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
  const { reference, algorithm, spki } = (stored ?? {}) as Readonly<Record<string, unknown>>
  if (typeof reference !== 'string' || typeof spki !== 'string') throw new Error('unreadable stored key')
  const publicKey = createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' })
  const own = algorithmOf(publicKey)
  if (own === null || own !== algorithm) throw new Error('the algorithm of a stored key does not match its public key')
  return { reference, algorithm: own, publicKey }
}

export function openStoredKey(
  bytes: Uint8Array,
  open: OpenPinnedKey,
  openLocal: (privateKey: KeyObject) => SigningKey = localKey,
): SigningKey {
  const stored = decodeStoredKey(bytes)
  return 'reference' in stored ? open(stored) : openLocal(stored)
}
