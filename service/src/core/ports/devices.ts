// Defines the device port: what core needs from the devices of tenants.

import type { DevicePrincipal } from '../tenants/domain/principal.ts'

/** null: not a device token. An invalid device token is refused. */
export type AuthenticateDevice = (token: string) => Promise<DevicePrincipal | null>

/** Refuses a device that was revoked after it was authenticated, and ends what it created. */
export type RequireActiveDevice = (device: DevicePrincipal) => Promise<void>
