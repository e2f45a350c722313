// Reads validity and status of a credential from the signed payload.

import type { CheckLog, Fault, StatusReference } from '../../examination.ts'
import type { SentRequest } from '../../expected.ts'
import { isJsonObject, member } from '../../json.ts'
import { LIMITS } from '../../limits.ts'
import type { Json, JsonObject } from '../../verdict.ts'
import { SD_JWT } from './name.ts'

type Clock = Pick<SentRequest, 'now' | 'skewSeconds'>

/**
 * RFC 7519 §4.1.4-6: each time that is present must be a number, and must allow the present time. `iat` may come from a
 * disclosure. The comparisons also fail for values that are not numbers.
 */
export function validityFault(payload: JsonObject, claims: JsonObject, { now, skewSeconds }: Clock): Fault | null {
  const exp = member(payload, 'exp')
  const nbf = member(payload, 'nbf')
  const iat = member(claims, 'iat')
  if ([exp, nbf, iat].some((time) => time !== undefined && !isNumericDate(time))) {
    return { code: 'credential_invalid', detail: 'a time of the credential is not a number of seconds' }
  }
  if (isNumericDate(exp) && !(now - skewSeconds < exp)) {
    return { code: 'credential_expired', detail: 'the credential has expired' }
  }
  if (isNumericDate(nbf) && !(nbf <= now + skewSeconds)) {
    return { code: 'credential_invalid', detail: 'the credential is not valid yet' }
  }
  if (isNumericDate(iat) && !(iat <= now + skewSeconds)) {
    return { code: 'credential_invalid', detail: 'the credential says it was issued in the future' }
  }
  return null
}

export function expiryOf(payload: JsonObject): number | null {
  const exp = member(payload, 'exp')
  return isNumericDate(exp) ? exp : null
}

/** A NumericDate (RFC 7519) that a double represents exactly. */
export function isNumericDate(value: Json | undefined): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
}

/**
 * SD-JWT VC §3.2.2.2: `status` names a status_list whose token is a JWT. An unreadable status fails the check: as an
 * absent one it would let a revoked credential pass.
 */
export function readStatus(payload: JsonObject, log: CheckLog): readonly StatusReference[] {
  const status = member(payload, 'status')
  if (status === undefined) return []
  const list = isJsonObject(status) ? member(status, 'status_list') : undefined
  if (!isJsonObject(list)) {
    log.fail(
      'not_revoked',
      'status_unavailable',
      'the credential names its status by a mechanism that is not supported',
    )
    return []
  }
  const uri = member(list, 'uri')
  const index = member(list, 'idx')
  if (typeof uri !== 'string' || uri === '' || uri.length > LIMITS.statusUriLength || !isIndex(index)) {
    log.fail('not_revoked', 'credential_invalid', 'the status reference of the credential is malformed')
    return []
  }
  return [{ kind: 'list', source: { uri, kind: 'status_list_jwt', format: SD_JWT }, index, certificate: null }]
}

function isIndex(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
