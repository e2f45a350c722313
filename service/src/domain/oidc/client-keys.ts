// The public keys that a client authenticates with.

import { createPublicKey, type KeyObject } from 'node:crypto'
import type { SigningAlg } from './jwt.ts'

export interface ClientKey {
  readonly kid: string | null
  readonly alg: SigningAlg
  readonly key: KeyObject
}

const KEYS_MAX = 8
const RSA_BITS_MIN = 2048

/** None where it is no set of public keys that can verify something for us. */
export function readClientKeys(jwks: string): ClientKey[] {
  const keys = keysOf(jwks)
  if (keys.length > KEYS_MAX) return []
  const read = keys.map(readKey).filter((key) => key !== null)
  // One that is of no use is a mistake that its owner should hear of.
  return read.length === keys.length ? read : []
}

function keysOf(jwks: string): readonly unknown[] {
  try {
    const set: unknown = JSON.parse(jwks)
    return typeof set === 'object' && set !== null && 'keys' in set && Array.isArray(set.keys) ? set.keys : []
  } catch {
    return []
  }
}

function readKey(jwk: unknown): ClientKey | null {
  if (typeof jwk !== 'object' || jwk === null || 'd' in jwk || 'k' in jwk) return null
  const { kty, crv, kid, n, e, x, y } = jwk as Readonly<Record<string, unknown>>
  const name = typeof kid === 'string' ? kid : null
  try {
    if (kty === 'EC' && crv === 'P-256') {
      const key = createPublicKey({ key: { kty, crv, x: String(x), y: String(y) }, format: 'jwk' })
      return { kid: name, alg: 'ES256', key }
    }
    if (kty !== 'RSA') return null
    const key = createPublicKey({ key: { kty, n: String(n), e: String(e) }, format: 'jwk' })
    return (key.asymmetricKeyDetails?.modulusLength ?? 0) < RSA_BITS_MIN ? null : { kid: name, alg: 'RS256', key }
  } catch {
    return null
  }
}
