// Defines the idempotency of creation (spec 4.1): format of a key, equal requests, how long a response is kept.

import { createHash } from 'node:crypto'
import { type CanonicalValue, canonicalJson } from '../../../platform/canonical-json.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Principal } from '../../tenants/domain/principal.ts'
import type { Realm } from '../../tenants/domain/realm.ts'

/** Spec 8. After this time the key is free again. */
export const REPLAY_WINDOW_MS = 24 * 3_600_000
/**
 * How long a creation may take. A later one fails because its fence is no longer current. If its process is gone, a
 * retry takes the key at once, otherwise after this time.
 */
export const LEASE_MS = 30_000

/** Spec 7: 1 to 255 printable ASCII characters without spaces. Two headers arrive joined by a comma and a space. */
export function checkIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw new Refusal('invalid_idempotency_key')
}

/**
 * Requests are the same if their JSON values are equal. Any key of the tenant may retry, because keys are rolled. A
 * device may retry only its own requests, because only that device may read the verification.
 */
export function fingerprintOf(principal: Principal, body: CanonicalValue, route = 'POST /v1/verifications'): Buffer {
  const asker = principal.kind === 'device' ? `device ${principal.deviceId}` : 'api_key'
  return createHash('sha256')
    .update(`vidimus-idempotency-v1\0${route}\0${asker}\0${canonicalJson(body)}`, 'utf8')
    .digest()
}

/** The seal context of a stored response. */
export const idempotentResponseSealContext = (realm: Realm, key: string) =>
  `idempotency_keys.answer|${realm.tenantId}|${realm.environment}|${key}`
