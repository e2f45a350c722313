// Tests JWS and JWK with the cases of Wycheproof.

import { Malformed } from '../../src/bytes.ts'
import { readPublicJwk, splitCompactJws, verifyWithStated } from '../../src/jose.ts'
import type { Json, JsonObject } from '../../src/verdict.ts'
import { type Case, type Group, type Judge, runWycheproof } from './wycheproof.ts'

/** Verifies like a key binding JWT: the key is not from the header, and the header's `alg` must be the key's algorithm. */
function acceptsJws(text: unknown, jwk: Json | undefined): boolean {
  const key = readPublicJwk(jwk)
  if (key === null || typeof text !== 'string') return false
  try {
    const jws = splitCompactJws(text)
    return jws.header.alg === key.algorithm && verifyWithStated(key, jws) === true
  } catch (error) {
    if (error instanceof Malformed) return false
    throw error
  }
}

const jose: Judge = (vector, group) => {
  if (typeof vector.jws !== 'string') return { accepted: false, notApplicable: 'a JWE: the JWE tests run it' }
  const jwk = publicKeyOf(vector, group)
  return { accepted: acceptsJws(vector.jws, jwk), ...reasonOf(vector, jwk) }
}

function publicKeyOf(vector: Case, group: Group): JsonObject | undefined {
  const keys = (group.public ?? group.private) as JsonObject & { readonly keys?: readonly JsonObject[] }
  if (keys.keys === undefined) return withoutPrivatePart(keys)
  const header = String(vector.jws).split('.')[0] ?? ''
  const kid = /"kid":"([^"]*)"/.exec(Buffer.from(header, 'base64url').toString())?.[1]
  const named = keys.keys.filter((key) => key.kid === kid)
  return named.length === 1 && named[0] !== undefined ? withoutPrivatePart(named[0]) : undefined
}

/** A symmetric key has no public half that could be published. */
function withoutPrivatePart({ d: _, ...jwk }: Record<string, Json>): JsonObject {
  return jwk
}

function reasonOf(vector: Case, jwk: JsonObject | undefined): { readonly notApplicable?: string } {
  if (vector.result === 'invalid') return {}
  if (jwk?.kty === 'oct') return { notApplicable: 'a MAC is never a signature here' }
  if (jwk?.kty === 'RSA') return { notApplicable: 'RSA is not among the accepted algorithms' }
  if (jwk?.alg === 'ES521') return { notApplicable: 'the key says it is for ES521, which is not an algorithm' }
  return {}
}

runWycheproof('json_web_signature', jose)
runWycheproof('json_web_key', jose)
runWycheproof('json_web_crypto', jose)
