// The public keys that a client authenticates with. Anybody can make us verify with them, so each is cheap to verify with, and for
// one assertion one key is tried.

import { createPublicKey, type KeyObject } from 'node:crypto'
import { isUsableRsa } from '@vidimus/engine/rsa-key'
import type { SigningAlg } from './jwt.ts'

export interface ClientKey {
  readonly kid: string | null
  readonly alg: SigningAlg
  readonly key: KeyObject
}

const KEYS_MAX = 8

/** None where it is no set of public keys that can verify something for us. */
export function readClientKeys(jwks: string): ClientKey[] {
  const keys = keysOf(jwks)
  const read = keys.map(readKey).filter((key) => key !== null)
  // One that is of no use is a mistake that its owner should hear of; so are two of which nobody could say which is meant.
  return read.length === keys.length && areTellable(read) ? read : []
}

/** Of several for the same algorithm each has a name of its own. */
function areTellable(keys: readonly ClientKey[]): boolean {
  return keys.every(({ alg, kid }) => {
    const sameAlg = keys.filter((one) => one.alg === alg)
    return sameAlg.length === 1 || (kid !== null && sameAlg.filter((one) => one.kid === kid).length === 1)
  })
}

/**
 * The one that the header of an assertion means: of its algorithm and by its name, or the only one of its algorithm that has no
 * other name. null: none, or more than one.
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
