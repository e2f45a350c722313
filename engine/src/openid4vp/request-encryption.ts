// May the wallet alone read what we ask? Where it sends a key with its request (OpenID4VP §5.10), the signed request object is
// wrapped in a JWE by ECDH-ES (RFC 9101 §6.1: signed, then encrypted). It hides the request; who asks is proved inside.

import { ascii } from '../bytes.ts'
import type { ImportedKey } from '../jose.ts'
import { isJsonObject, member } from '../json.ts'
import type { Json, JsonObject } from '../verdict.ts'
import type { ContentEncryption } from './jwe.ts'
import { CURVE, encryptJwe, recipientOf } from './jwe-writing.ts'

export interface RequestEncryption {
  readonly key: ImportedKey
  /** Repeated to the wallet; null where its key has none. */
  readonly kid: string | null
  readonly encryption: ContentEncryption
}

/** A wallet sends a key or two; each is a point to check. */
const KEYS_MAX = 8
const KID_LENGTH_MAX = 256

/**
 * The first key of `wallet_metadata` that we can encrypt to, with an encryption the wallet reads; null where there is none. The
 * algorithms are those for request objects (OpenID Connect Discovery §3); where these are not named, the key's own and what the
 * wallet encrypts responses with.
 */
export function requestEncryptionOf(metadata: JsonObject): RequestEncryption | null {
  const jwks = member(metadata, 'jwks')
  const keys = isJsonObject(jwks) ? member(jwks, 'keys') : undefined
  const encryption = encryptionOf(metadata)
  if (!Array.isArray(keys) || encryption === null) return null
  const algorithms = member(metadata, 'request_object_encryption_alg_values_supported')
  for (const jwk of keys.slice(0, KEYS_MAX)) {
    const key = isJsonObject(jwk) && isForAgreement(jwk, algorithms) ? keyOf(jwk) : null
    if (key !== null) return { ...key, encryption }
  }
  return null
}

function encryptionOf(metadata: JsonObject): ContentEncryption | null {
  const offered =
    member(metadata, 'request_object_encryption_enc_values_supported') ??
    member(metadata, 'authorization_encryption_enc_values_supported')
  if (!Array.isArray(offered)) return null
  return PREFERRED.find((name) => offered.includes(name)) ?? null
}

const PREFERRED: readonly ContentEncryption[] = ['A256GCM', 'A128GCM']

/** RFC 7517 §4.2-4.4: what a key says of its use binds us. That it is for ECDH-ES is said by the key or beside it. */
function isForAgreement(jwk: JsonObject, algorithms: Json | undefined): boolean {
  const { use, key_ops: operations, alg } = jwk
  if (use !== undefined && use !== 'enc') return false
  if (operations !== undefined && !(Array.isArray(operations) && operations.some((name) => DERIVING.includes(name))))
    return false
  if (alg !== undefined && alg !== 'ECDH-ES') return false
  return algorithms === undefined ? alg !== undefined : Array.isArray(algorithms) && algorithms.includes('ECDH-ES')
}

const DERIVING: readonly Json[] = ['deriveKey', 'deriveBits']

function keyOf(jwk: JsonObject): Pick<RequestEncryption, 'key' | 'kid'> | null {
  const { kty, crv, kid, x, y } = jwk
  // The curve that every wallet has. Anyone who knows a request's address chooses the key, and the larger curves cost 14 and 29 times as much.
  if (kty !== 'EC' || crv !== CURVE) return null
  if (kid !== undefined && !(typeof kid === 'string' && kid.length <= KID_LENGTH_MAX)) return null
  const key = recipientOf(x, y)
  return key === null ? null : { key, kid: kid ?? null }
}

/** A compact JWE around the signed request object. */
export function encryptRequest(
  jws: string,
  { key, kid, encryption }: RequestEncryption,
  random: (bytes: number) => Uint8Array,
): string {
  // RFC 7519 §5.2: what is inside is a JWT again.
  const header = { typ: 'oauth-authz-req+jwt', cty: 'JWT', ...(kid !== null && { kid }) }
  return encryptJwe(ascii(jws), { key, encryption, header }, random)
}
