// Authenticates a device (spec 5.8).

import { hashSecret, isPast, type Scope } from '../../../core/tenants/domain/api-key.ts'
import { requireServed } from '../../../core/tenants/domain/closed.ts'
import type { DevicePrincipal } from '../../../core/tenants/domain/principal.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import { isSeenAgain } from '../domain/device.ts'
import { looksLikeAccessToken } from '../domain/token.ts'
import { touchDevice } from '../store/devices.ts'
import { findAccessToken } from '../store/tokens.ts'

/** The scopes of all devices. `requireAskable` and `onlyCreatedBy` restrict them further. */
const DEVICE_SCOPES: readonly Scope[] = ['verifications:create', 'verifications:read']

/** null if it is not a device token. A device that is not active has no valid token. */
export async function authenticateDevice(
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  token: string,
): Promise<DevicePrincipal | null> {
  if (!looksLikeAccessToken(token)) return null
  const access = await findAccessToken(deps.db, hashSecret(token))
  if (access === null) throw new Refusal('invalid_api_key')
  const nowMs = deps.clock.now()
  if (isPast(access.expiresAt, nowMs)) throw new Refusal('api_key_expired')
  requireServed(access.closed)
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
