// Devices of tenants, as far as core must know of them.

import type { DevicePrincipal } from '../tenants/domain/principal.ts'

/** null: this is no token of a device. One that is, and does not hold, is refused. */
export type AuthenticateDevice = (token: string) => Promise<DevicePrincipal | null>
