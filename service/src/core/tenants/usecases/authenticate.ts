// Who is asking? Spec 5: missing, malformed, revoked and unknown credentials are one refusal; a past deadline is another.

import type { Deps } from '../../../deps.ts'
import { isSeenAgain } from '../../../features/devices/domain/device.ts'
import { looksLikeAccessToken } from '../../../features/devices/domain/token.ts'
import { touchDevice } from '../../../features/devices/store/devices.ts'
import { findAccessToken } from '../../../features/devices/store/tokens.ts'
import { Refusal } from '../../../platform/errors.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import { hashSecret, isPast, looksLikeApiKey, type Scope } from '../domain/api-key.ts'
import type { DevicePrincipal, Principal } from '../domain/principal.ts'

const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/i
/** What a device may do at all; requireAskable and onlyCreatedBy narrow it further. */
const DEVICE_SCOPES: readonly Scope[] = ['verifications:create', 'verifications:read']

/** The expiry of a key whose hash matched may be told: only its owner can know it. */
export async function authenticate(
  deps: Pick<Deps, 'db' | 'clock' | 'keys' | 'log'>,
  authorization: string | undefined,
): Promise<Principal> {
  const token = BEARER.exec(authorization ?? '')?.[1]
  if (token !== undefined && looksLikeAccessToken(token)) return authenticateDevice(deps, token)
  if (token === undefined || !looksLikeApiKey(token)) throw new Refusal('invalid_api_key')
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

/** Spec 5.8: a device token resolves like a key. A device that is not active has no token that anybody knows. */
async function authenticateDevice(deps: Pick<Deps, 'db' | 'clock' | 'log'>, token: string): Promise<DevicePrincipal> {
  const access = await findAccessToken(deps.db, hashSecret(token))
  if (access === null) throw new Refusal('invalid_api_key')
  const nowMs = deps.clock.now()
  if (isPast(access.expiresAt, nowMs)) throw new Refusal('api_key_expired')
  const { device } = access
  if (isSeenAgain(device.lastSeenAt === null ? null : millisecondsOf(device.lastSeenAt), nowMs)) {
    touchDevice(deps.db, device, { id: device.id, at: instantOf(nowMs) }).catch((error) =>
      deps.log.fault('last use not noted', error),
    )
  }
  return {
    kind: 'device',
    deviceId: device.id,
    deviceName: device.name,
    tenantId: device.tenantId,
    environment: device.environment,
    scopes: DEVICE_SCOPES,
    allowedTemplates: device.allowedTemplates,
    refreshSpent: access.refreshSpent,
  }
}
