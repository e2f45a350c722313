// Exchanges a device's refresh token for the next pair, and revokes the device if the token was spent before.

import { hashSecret } from '../../../core/tenants/domain/api-key.ts'
import { requireServed } from '../../../core/tenants/domain/closed.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import { looksLikeRefreshToken, mintPair, recordOf } from '../domain/token.ts'
import { revokeDevice } from '../store/devices.ts'
import { findClosedOfToken, findDeviceOfSpentToken, rotatePair } from '../store/tokens.ts'
import { endPendingOfDevice } from './end-pending.ts'
import type { GrantedPair } from './enroll-device.ts'
import { revocationOf } from './revoke-device.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'metrics' | 'log' | 'audit'>

/**
 * If a spent token is presented, two parties have it: the device is revoked. An unknown token changes nothing, because
 * guesses must not revoke devices.
 */
export async function rotateDeviceToken(deps: Needs, refreshToken: string): Promise<GrantedPair> {
  if (!looksLikeRefreshToken(refreshToken)) throw new Refusal('invalid_refresh_token')
  const refreshHash = hashSecret(refreshToken)
  requireServed(await findClosedOfToken(deps.db, refreshHash))
  const minted = mintPair(deps.random)
  const nowMs = deps.clock.now()
  const issued = await rotatePair(deps.db, { refreshHash, pair: recordOf(minted, nowMs) })
  if (issued !== null) return { ...minted, ...issued, issuedAtMs: nowMs }
  await revokeIfSpent(deps, refreshHash, instantOf(nowMs))
  throw new Refusal('invalid_refresh_token')
}

const REUSE = { type: 'system', id: 'refresh-reuse' } as const

/** Commits before the refusal is sent. */
async function revokeIfSpent(deps: Needs, refreshHash: Buffer, now: Instant): Promise<void> {
  const revoked = await deps.db.transaction(async (tx) => {
    const device = await findDeviceOfSpentToken(tx, refreshHash)
    if (device === null) return null
    const gone = await revokeDevice(tx, device, { id: device.id, at: now, reason: 'refresh_reuse' })
    if (gone === null) return null
    const event = revocationOf(gone, REUSE)
    await deps.audit.recordAll(tx, gone, { now, events: [event] })
    return gone
  })
  if (revoked === null) return
  await endPendingOfDevice(deps, revoked, revoked.id, REUSE)
  deps.metrics.alarms.inc({ alarm: 'device_refresh_reuse' })
  deps.log.warn('device revoked: a spent refresh token was presented', {
    tenant: revoked.tenantId,
    environment: revoked.environment,
    principal: revoked.id,
  })
}
