// Reads the public keys of a client. Strangers can make us verify with them, so each key must be cheap to verify with.

import { createPublicKey, type KeyObject } from 'node:crypto'
import { isUsableRsa } from '@vidimus/engine/rsa-key'
import type { SigningAlg } from './jwt.ts'

interface ClientKey {
  readonly kid: string | null
  readonly alg: SigningAlg
  readonly key: KeyObject
}

const KEYS_MAX = 8

/** Empty if the text is not a set of public keys that can verify signatures. */
export function readClientKeys(jwks: string): ClientKey[] {
  const keys = keysOf(jwks)
  const read = keys.map(readKey).filter((key) => key !== null)
  // Rejects the whole set if one key is unusable or two are ambiguous, so that the client's developer notices.
  return read.length === keys.length && areDistinguishable(read) ? read : []
}

/** Several keys for the same algorithm need distinct key ids. */
function areDistinguishable(keys: readonly ClientKey[]): boolean {
  return keys.every(({ alg, kid }) => {
    const sameAlg = keys.filter((one) => one.alg === alg)
    return sameAlg.length === 1 || (kid !== null && sameAlg.filter((one) => one.kid === kid).length === 1)
  })
}

/**
 * The key that an assertion's header selects by algorithm and key id. A key without an id is selected if it is the only
 * one of its algorithm. null if there is none, or more than one.
 */
export function findClientKey(jwks: string, header: Readonly<Record<string, unknown>>): ClientKey | null {
  const sameAlg = keysOf(jwks).filter((jwk) => algOf(jwk) === header.alg)
  const named = header.kid === undefined ? [] : sameAlg.filter((jwk) => jwk.kid === header.kid)
  const meant = named.length > 0 ? named : sameAlg.filter((jwk) => header.kid === undefined || jwk.kid === undefined)
  const [only] = meant
  return only === undefined || meant.length > 1 ? null : readKey(only)
}

type Jwk = Readonly<Record<string, unknown>>

function keysOf(jwks: string): readonly Jwk[] {
  try {
    const set: unknown = JSON.parse(jwks)
    const keys: unknown = typeof set === 'object' && set !== null && 'keys' in set ? set.keys : null
    return Array.isArray(keys) && keys.length <= KEYS_MAX && keys.every(isObject) ? keys : []
  } catch {
    return []
  }
}

const isObject = (value: unknown): value is Jwk => typeof value === 'object' && value !== null

function algOf({ kty, crv }: Jwk): SigningAlg | null {
  if (kty === 'RSA') return 'RS256'
  return kty === 'EC' && crv === 'P-256' ? 'ES256' : null
}

function readKey(jwk: Jwk): ClientKey | null {
  const alg = algOf(jwk)
  if (alg === null || 'd' in jwk || 'k' in jwk) return null
  const { kid, n, e, x, y } = jwk
  const name = typeof kid === 'string' ? kid : null
  try {
    if (alg === 'ES256') {
      const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: String(x), y: String(y) }, format: 'jwk' })
      return { kid: name, alg, key }
    }
    const key = createPublicKey({ key: { kty: 'RSA', n: String(n), e: String(e) }, format: 'jwk' })
    return isUsableRsa(key) ? { kid: name, alg, key } : null
  } catch {
    return null
  }
}
