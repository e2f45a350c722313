// The public key of a key outside, as its place hands it out, pinned.

import { createPublicKey, hash, type KeyObject, type webcrypto } from 'node:crypto'
import { KeyFailure } from '../key-provider.ts'
import { readReference } from '../key-reference.ts'
import { algorithmOf, hashOf, type KeyAlgorithm } from '../signing-key.ts'
import type { PinnedKey } from '../stored-key.ts'

export type PublicKeyInput =
  | { readonly pem: string }
  | { readonly spki: Buffer }
  | { readonly jwk: webcrypto.JsonWebKey }

/** Throws a KeyFailure for what is no public key, or one that nothing is signed with. */
export function pinKey(reference: string, input: PublicKeyInput): PinnedKey {
  const publicKey = readPublicKey(input)
  const algorithm = publicKey === null ? null : algorithmOf(publicKey)
  if (publicKey === null || algorithm === null)
    throw new KeyFailure('refused', 'it is no key that something is signed with here')
  return { reference, algorithm, publicKey }
}

function readPublicKey(input: PublicKeyInput): KeyObject | null {
  try {
    if ('pem' in input) return createPublicKey(input.pem)
    if ('spki' in input) return createPublicKey({ key: input.spki, format: 'der', type: 'spki' })
    return createPublicKey({ key: input.jwk, format: 'jwk' })
  } catch {
    return null
  }
}

/** SHA-256, SHA-384 or SHA-512, as the algorithm says. */
export const digestFor = (algorithm: KeyAlgorithm, bytes: Uint8Array): Buffer =>
  hash(hashOf(algorithm) ?? 'sha512', bytes, 'buffer')

/** What a place has for an algorithm. */
export function requireKind<T>(
  kinds: Readonly<Partial<Record<KeyAlgorithm, T>>>,
  algorithm: KeyAlgorithm,
  place: string,
): T {
  const kind = kinds[algorithm]
  if (kind === undefined) throw new KeyFailure('refused', `${place} has no keys for ${algorithm} here`)
  return kind
}

/** The named parts; those that it may leave out are undefined. */
export function requireParts(
  scheme: Parameters<typeof readReference>[0],
  reference: string,
): Readonly<Record<string, string | undefined>> {
  const parts = readReference(scheme, reference)
  if (parts === null) throw new KeyFailure('refused', 'not a reference of this kind of key')
  return parts
}
