// A device: a till or tablet that a merchant registers, pairs once and may revoke.

import type { Environment, Instant } from '../../../platform/world.ts'

export type DeviceStatus = 'pending' | 'active' | 'revoked'
/** `refresh_reuse`: a spent refresh token was used again, so an attacker may have a copy. */
export type RevokedReason = 'merchant' | 'refresh_reuse'

export interface Device {
  readonly id: string
  readonly tenantId: string
  readonly environment: Environment
  readonly name: string
  readonly status: DeviceStatus
  readonly allowedTemplates: readonly string[]
  readonly createdAt: Instant
  readonly pairingExpiresAt: Instant
  readonly enrolledAt: Instant | null
  readonly lastSeenAt: Instant | null
  readonly revokedAt: Instant | null
  /** For the audit trail, the dashboard and the command line. The API object of spec 2.3 has no such property. */
  readonly revokedReason: RevokedReason | null
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** `last_seen_at` is exact to the minute, so that a busy device causes one write per minute. */
const SEEN_AGAIN_AFTER_MS = 60_000

/** Spec 2.3 allows no other properties. `pairing_expires_at` appears while the code is unused. */
interface RenderedDevice {
  readonly id: string
  readonly name: string
  readonly status: DeviceStatus
  readonly allowed_templates: string[]
  readonly created_at: Instant
  readonly pairing_expires_at?: Instant
  readonly enrolled_at?: Instant
  readonly last_seen_at?: Instant
  readonly revoked_at?: Instant
}

export function renderDevice(device: Device): RenderedDevice {
  return {
    id: device.id,
    name: device.name,
    status: device.status,
    allowed_templates: [...device.allowedTemplates],
    created_at: device.createdAt,
    ...(device.status === 'pending' ? { pairing_expires_at: device.pairingExpiresAt } : {}),
    ...(device.enrolledAt === null ? {} : { enrolled_at: device.enrolledAt }),
    ...(device.lastSeenAt === null ? {} : { last_seen_at: device.lastSeenAt }),
    ...(device.revokedAt === null ? {} : { revoked_at: device.revokedAt }),
  }
}

/** Adds the reason, which the API object of spec 2.3 cannot contain. */
export const renderDeviceForStaff = (device: Device) => ({
  ...renderDevice(device),
  revoked_reason: device.revokedReason,
})

export const isDeviceId = (text: string): boolean => UUID.test(text)

/** Whether `last_seen_at` is old enough for another write. */
export function isSeenAgain(lastSeenMs: number | null, nowMs: number): boolean {
  return lastSeenMs === null || nowMs - lastSeenMs >= SEEN_AGAIN_AFTER_MS
}
