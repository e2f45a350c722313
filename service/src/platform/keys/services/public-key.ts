// Pins the public key of a key outside of this process.

import { createPublicKey, hash, type KeyObject, type webcrypto } from 'node:crypto'
import { KeyFailure } from '../key-provider.ts'
import { readReference } from '../key-reference.ts'
import { algorithmOf, hashOf, type KeyAlgorithm } from '../signing-key.ts'
import type { PinnedKey } from '../stored-key.ts'

export type PublicKeyInput =
  | { readonly pem: string }
  | { readonly spki: Buffer }
  | { readonly jwk: webcrypto.JsonWebKey }

/** Throws a KeyFailure if the input is not a public key of a supported type. */
export function pinKey(reference: string, input: PublicKeyInput): PinnedKey {
  const publicKey = readPublicKey(input)
  const algorithm = publicKey === null ? null : algorithmOf(publicKey)
  if (publicKey === null || algorithm === null)
    throw new KeyFailure('refused', 'this is not a public key of a supported type')
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

/** Hashes with the algorithm's SHA-256, SHA-384 or SHA-512. */
export const digestFor = (algorithm: KeyAlgorithm, bytes: Uint8Array): Buffer =>
  hash(hashOf(algorithm) ?? 'sha512', bytes, 'buffer')

/** What the provider calls keys of this algorithm. Throws if it has none. */
export function requireKind<T>(
  kinds: Readonly<Partial<Record<KeyAlgorithm, T>>>,
  algorithm: KeyAlgorithm,
  place: string,
): T {
  const kind = kinds[algorithm]
  if (kind === undefined) throw new KeyFailure('refused', `keys for ${algorithm} in ${place} are not supported`)
  return kind
}

/** The named parts of the reference; optional parts may be undefined. */
export function requireParts(
  scheme: Parameters<typeof readReference>[0],
  reference: string,
): Readonly<Record<string, string | undefined>> {
  const parts = readReference(scheme, reference)
  if (parts === null) throw new KeyFailure('refused', 'not a reference to this kind of key')
  return parts
}
