// Defines a merchant's key for results: we encrypt claims to it, so that only the merchant can read them.

import type { RESULT_KEY_PROBLEMS } from '../../../../../wire/values/result-keys.ts'
import type { Instant } from '../../../platform/world.ts'
import { type Realm, realmName } from '../../tenants/domain/realm.ts'

/** The key in use, and the next or the previous one. */
export const RESULT_KEYS_PER_REALM_MAX = 2
/** How long a challenge is valid. Its answer proves that the merchant has the private key, which we never see. */
export const CHALLENGE_SECONDS = 3_600
export const CHALLENGE_BYTES = 32

export type ResultKeyProblem = (typeof RESULT_KEY_PROBLEMS)[number]

/** Coordinates of a P-256 point, base64url. */
export interface PublicPoint {
  readonly x: string
  readonly y: string
}

/** Plain data, so that another thread can encrypt. A JWE decrypts only for its own verification. */
export interface MerchantTerms {
  readonly point: PublicPoint
  readonly type: string
  readonly verificationId: string
}

export interface ResultKey {
  readonly id: string
  /** RFC 7638 thumbprint. */
  readonly kid: string
  readonly createdAt: Instant
  /** null: the key is not proven, so nothing is encrypted to it. */
  readonly provenAt: Instant | null
}

/** Members of private and symmetric keys (RFC 7518 §6). */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const MEMBERS = ['kty', 'crv', 'x', 'y', 'use', 'alg', 'kid']
/** 32 bytes. */
const COORDINATE = /^[A-Za-z0-9_-]{43}$/

/** Checks the kind of key, but not that the point is on the curve. Ignores `kid`, because ours is the thumbprint. */
export function readResultKey(
  jwk: unknown,
):
  | { readonly outcome: 'read'; readonly point: PublicPoint }
  | { readonly outcome: 'refused'; readonly problem: ResultKeyProblem } {
  const refused = (problem: ResultKeyProblem) => ({ outcome: 'refused', problem }) as const
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) return refused('not_a_jwk')
  const members = new Map<string, unknown>(Object.entries(jwk))
  if (SECRET_MEMBERS.some((name) => members.has(name))) return refused('private_key')
  if (members.get('kty') !== 'EC' || members.get('crv') !== 'P-256') return refused('not_p256')
  if (members.get('use') !== 'enc' || members.get('alg') !== 'ECDH-ES') return refused('not_for_encryption')
  if ([...members.keys()].some((name) => !MEMBERS.includes(name))) return refused('unknown_member')
  const [x, y] = [members.get('x'), members.get('y')]
  if (typeof x !== 'string' || typeof y !== 'string' || !COORDINATE.test(x) || !COORDINATE.test(y))
    return refused('not_on_curve')
  return { outcome: 'read', point: { x, y } }
}

export const resultKeySealContext = (realm: Realm, id: string) => `result_keys.sealed|${realmName(realm)}|${id}`
