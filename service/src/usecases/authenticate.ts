// Who is asking? Spec 5: missing, malformed, revoked and unknown credentials are one refusal; a past deadline is another.

import type { Deps } from '../deps.ts'
import { hashSecret, isPast, looksLikeApiKey } from '../domain/api-key.ts'
import { Refusal } from '../domain/errors.ts'
import type { Principal } from '../domain/principal.ts'
import { instantOf } from '../domain/world.ts'
import { touchApiKey } from '../store/api-keys.ts'

const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/i

/** The expiry of a key whose hash matched may be told: only its owner can know it. */
export async function authenticate(
  deps: Pick<Deps, 'db' | 'clock' | 'keys' | 'log'>,
  authorization: string | undefined,
): Promise<Principal> {
  const token = BEARER.exec(authorization ?? '')?.[1]
  if (token === undefined || !looksLikeApiKey(token)) throw new Refusal('invalid_api_key')
  const nowMs = deps.clock.now()
  const key = await deps.keys.find(hashSecret(token), nowMs)
  if (key === null || key.revokedAt !== null) throw new Refusal('invalid_api_key')
  if (isPast(key.expiresAt, nowMs)) throw new Refusal('api_key_expired')
  const at = instantOf(nowMs)
  if (key.lastUsedAt === null || key.lastUsedAt.slice(0, 16) < at.slice(0, 16)) {
    touchApiKey(deps.db, key.tenantId, { id: key.id, at }).catch((error) => deps.log.fault('last use not noted', error))
  }
  return {
    kind: 'api_key',
    keyId: key.id,
    tenantId: key.tenantId,
    environment: key.environment,
    scopes: key.scopes,
  }
}
