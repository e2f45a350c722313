// Verifies proofs of possession of a client's key (DPoP, RFC 9449). ES256 only: it is cheap to verify.

import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { parseWebAddress } from '@vidimus/engine/channels/web-address'
import { OidcFailure } from './failure.ts'
import { readJwt } from './jwt.ts'

export const DPOP_ALGS = ['ES256'] as const

/** How far the proof's time may be from ours. */
const WINDOW_SECONDS = 60
/** A proof is remembered for longer than it is valid: another process may be a little behind. */
const REMEMBERED_SECONDS = 2 * WINDOW_SECONDS
const TEXT_MAX = 256
const PROOF_CHARACTERS_MAX = 4_096

export interface DpopCall {
  /** The DPoP header. */
  readonly proof: string
  readonly method: string
  /** The address of the endpoint, without a query. */
  readonly url: string
  /** Set if a token is used: the proof must be for that token. */
  readonly token: string | null
  readonly nowMs: number
}

export interface DpopProof {
  /** The thumbprint of its key (RFC 7638). */
  readonly jkt: string
  /** Names this proof, so that it is accepted once. */
  readonly hash: Buffer
  readonly expiresAtMs: number
}

/** RFC 9449 §4.3. Throws OidcFailure. */
export function readProof({ proof, method, url, token, nowMs }: DpopCall): DpopProof {
  const jwt = proof.length > PROOF_CHARACTERS_MAX ? null : readJwt(proof)
  const key = jwt === null ? null : keyOf(jwt.header.jwk)
  if (jwt === null || key === null || jwt.header.typ !== 'dpop+jwt') throw invalid()
  if (!jwt.isSignedBy({ alg: 'ES256', key })) throw invalid()
  const { htm, htu, iat, exp, nbf, jti, ath } = jwt.payload
  const now = nowMs / 1000
  if (htm !== method || !isSameEndpoint(htu, url)) throw invalid()
  if (typeof iat !== 'number' || Math.abs(now - iat) > WINDOW_SECONDS) throw invalid()
  if (exp !== undefined && !(typeof exp === 'number' && exp > now - WINDOW_SECONDS)) throw invalid()
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + WINDOW_SECONDS)) throw invalid()
  if (typeof jti !== 'string' || jti === '' || jti.length > TEXT_MAX) throw invalid()
  if (token !== null && ath !== createHash('sha256').update(token, 'ascii').digest('base64url')) throw invalid()
  const jkt = thumbprintOf(key)
  const hash = createHash('sha256').update(`dpop\0${jkt}\0${jti}`, 'utf8').digest()
  return { jkt, hash, expiresAtMs: (iat + REMEMBERED_SECONDS) * 1000 }
}

const invalid = () => new OidcFailure('invalid_dpop_proof')

/** Query and fragment do not count. */
function isSameEndpoint(htu: unknown, url: string): boolean {
  const named = typeof htu === 'string' ? parseWebAddress(htu) : null
  return named !== null && `${named.origin}${named.pathname}` === url
}

/** A public key on P-256; null: another one, or one with its private part. */
function keyOf(jwk: unknown): KeyObject | null {
  if (typeof jwk !== 'object' || jwk === null || 'd' in jwk) return null
  const { kty, crv, x, y } = jwk as Readonly<Record<string, unknown>>
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') return null
  try {
    return createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })
  } catch {
    return null
  }
}

/** Computed from the key itself, so that two spellings of one key give the same thumbprint. */
function thumbprintOf(key: KeyObject): string {
  const { crv, kty, x, y } = key.export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

export const isThumbprint = (text: string) => /^[\w-]{43}$/.test(text)
