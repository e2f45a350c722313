// Verifies DPoP proofs, which prove that a client has a key (RFC 9449). ES256 only, because it is cheap to verify.

import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { parseWebAddress } from '@vidimus/engine/channels/web-address'
import { OidcFailure } from './failure.ts'
import { readJwt } from './jwt.ts'

export const DPOP_ALGS = ['ES256'] as const

/** How far the proof's time may be from ours. */
const WINDOW_SECONDS = 60
/** A proof is remembered for longer than it is valid, because another process's clock may be behind. */
const REMEMBERED_SECONDS = 2 * WINDOW_SECONDS
const TEXT_MAX = 256
const PROOF_CHARACTERS_MAX = 4_096

export interface DpopCall {
  /** The DPoP header. */
  readonly proof: string
  readonly method: string
  /** The endpoint's address, without its query. */
  readonly url: string
  /** The token that the proof must be for; null if the call uses none. */
  readonly token: string | null
  readonly nowMs: number
}

export interface DpopProof {
  /** The thumbprint of the proof's key (RFC 7638). */
  readonly jkt: string
  /** Identifies the proof, so that it is accepted only once. */
  readonly hash: Buffer
  readonly expiresAtMs: number
}

/** Checks a proof (RFC 9449 §4.3). Throws OidcFailure. */
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

/** Ignores query and fragment. */
function isSameEndpoint(htu: unknown, url: string): boolean {
  const named = typeof htu === 'string' ? parseWebAddress(htu) : null
  return named !== null && `${named.origin}${named.pathname}` === url
}

/** Reads a public key on P-256; null for any other key, and for a private one. */
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

/** Computed from the parsed key, so that two encodings of one key have the same thumbprint. */
function thumbprintOf(key: KeyObject): string {
  const { crv, kty, x, y } = key.export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

export const isThumbprint = (text: string) => /^[\w-]{43}$/.test(text)
