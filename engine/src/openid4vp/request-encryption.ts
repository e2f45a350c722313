// Encrypts the signed request object to a key that the wallet sent (OpenID4VP §5.10, RFC 9101 §6.1).

import { ascii, encodeBase64url } from '../bytes.ts'
import { thumbprintOf } from '../jose.ts'
import { isJsonObject, member } from '../json.ts'
import type { Json, JsonObject } from '../verdict.ts'
import {
  type AgreedSecret,
  agreeWith,
  CONTENT_ENCRYPTIONS_WRITTEN,
  type Curve,
  curveOf,
  encryptAgreed,
  isCostly,
  KEY_AGREEMENTS,
  type KeyAgreement,
  recipientOfJwk,
  type WrittenEncryption,
} from './jwe-writing.ts'

export interface RequestEncryption {
  readonly agreed: AgreedSecret
  readonly curve: Curve
  /** Sent back to the wallet; null if the wallet's key has none. */
  readonly kid: string | null
  readonly agreement: KeyAgreement
  readonly encryption: WrittenEncryption
}

/**
 * Limits the work with larger curves, which anyone with the address of a request can cause. Returns a cached result for
 * the key, or calls `agree`. Returns null if the budget is used up.
 */
export type CostlyWork = (thumbprint: string, agree: () => AgreedSecret | null) => AgreedSecret | null

/** Each key costs a check of its point. Wallets send one or two. */
const KEYS_MAX = 8
const KID_LENGTH_MAX = 256

/**
 * Returns the first usable key of `wallet_metadata`, with an encryption that the wallet supports; null: none.
 * Algorithms for request objects (OpenID Connect Discovery §3) precede those of the key and of responses.
 */
export function requestEncryptionOf(metadata: JsonObject, costly: CostlyWork): RequestEncryption | null {
  const jwks = member(metadata, 'jwks')
  const keys = isJsonObject(jwks) ? member(jwks, 'keys') : undefined
  const encryption = encryptionOf(metadata)
  if (!Array.isArray(keys) || encryption === null) return null
  const listed = member(metadata, 'request_object_encryption_alg_values_supported')
  for (const jwk of keys.slice(0, KEYS_MAX)) {
    const agreement = isJsonObject(jwk) ? agreementFor(jwk, listed) : null
    const agreed = isJsonObject(jwk) && agreement !== null ? agreeOn(jwk, costly) : null
    if (agreed !== null && agreement !== null) return { ...agreed, agreement, encryption }
  }
  return null
}

function encryptionOf(metadata: JsonObject): WrittenEncryption | null {
  const offered =
    member(metadata, 'request_object_encryption_enc_values_supported') ??
    member(metadata, 'authorization_encryption_enc_values_supported')
  if (!Array.isArray(offered)) return null
  return CONTENT_ENCRYPTIONS_WRITTEN.find((name) => offered.includes(name)) ?? null
}

/** RFC 7517 §4.2-4.4: the key's `use`, `key_ops` and `alg` apply. null if neither key nor metadata names an algorithm. */
function agreementFor(jwk: JsonObject, listed: Json | undefined): KeyAgreement | null {
  const { use, key_ops: operations, alg } = jwk
  if (use !== undefined && use !== 'enc') return null
  if (operations !== undefined && !(Array.isArray(operations) && operations.some((name) => DERIVING.includes(name))))
    return null
  if (listed === undefined && alg === undefined) return null
  const isAllowed = (name: KeyAgreement) =>
    (alg === undefined || alg === name) && (listed === undefined || (Array.isArray(listed) && listed.includes(name)))
  return KEY_AGREEMENTS.find(isAllowed) ?? null
}

const DERIVING: readonly Json[] = ['deriveKey', 'deriveBits']

function agreeOn(jwk: JsonObject, costly: CostlyWork): Pick<RequestEncryption, 'agreed' | 'curve' | 'kid'> | null {
  const { kid } = jwk
  const curve = curveOf(jwk)
  if (curve === null) return null
  if (kid !== undefined && !(typeof kid === 'string' && kid.length <= KID_LENGTH_MAX)) return null
  const thumbprint = thumbprintOf(jwk)
  if (thumbprint === null) return null
  const agree = () => {
    const recipient = recipientOfJwk(jwk)
    return recipient === null ? null : agreeWith(recipient)
  }
  const agreed = isCostly(curve) ? costly(encodeBase64url(thumbprint), agree) : agree()
  return agreed === null ? null : { agreed, curve, kid: kid ?? null }
}

/** Encrypts the signed request object as a compact JWE. */
export function encryptRequest(
  jws: string,
  { agreed, kid, agreement, encryption }: RequestEncryption,
  random: (bytes: number) => Uint8Array,
): string {
  // RFC 7519 §5.2: `cty` states that the content is a JWT.
  const header = { typ: 'oauth-authz-req+jwt', cty: 'JWT', ...(kid !== null && { kid }) }
  return encryptAgreed(ascii(jws), { agreed, agreement, encryption, header }, random)
}
