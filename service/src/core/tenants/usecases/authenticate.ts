// Authenticates the caller. Spec 5: missing, malformed, revoked and unknown credentials are one refusal; an expired one
// is another.

import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { hashSecret, isPast, looksLikeApiKey } from '../domain/api-key.ts'
import type { Principal } from '../domain/principal.ts'

const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/i

/** The expiry may be revealed once the key's hash matched: only its owner can know the key. */
export async function authenticate(
  deps: Pick<Deps, 'clock' | 'keys' | 'authenticateDevice'>,
  authorization: string | undefined,
): Promise<Principal> {
  const token = BEARER.exec(authorization ?? '')?.[1]
  if (token === undefined) throw new Refusal('invalid_api_key')
  // Spec 5.8: a device token resolves like a key.
  const device = await deps.authenticateDevice(token)
  if (device !== null) return device
  if (!looksLikeApiKey(token)) throw new Refusal('invalid_api_key')
  const nowMs = deps.clock.now()
  const key = await deps.keys.find(hashSecret(token), nowMs)
  if (key === null || key.revokedAt !== null) throw new Refusal('invalid_api_key')
  if (isPast(key.expiresAt, nowMs)) throw new Refusal('api_key_expired')
  deps.keys.noteUse(key, nowMs)
  return {
    kind: 'api_key',
    keyId: key.id,
    tenantId: key.tenantId,
    environment: key.environment,
    scopes: key.scopes,
  }
}
