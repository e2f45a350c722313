// Where a realm's OpenID provider lives: its issuer, its endpoints, and the addresses of a sign-in under way.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { isTenantId } from '../../../platform/ids.ts'
import { isEnvironment } from '../../../platform/world.ts'

/** Below the base address. */
export const issuerPath = ({ tenantId, environment }: Realm) => `/oidc/${tenantId}/${environment}`

export const issuerOf = (baseUrl: string, realm: Realm) => `${baseUrl}${issuerPath(realm)}`

/** null where the path can name none. */
export function realmOfPath(tenant: string, environment: string): Realm | null {
  return isTenantId(tenant) && isEnvironment(environment) ? { tenantId: tenant, environment } : null
}

/** Where the wallet sends the browser back to; it goes on from there. */
export const returnPathOf = (realm: Realm, id: string) => `${issuerPath(realm)}/return/${id}`
/** Where the browser that began gets its answer. The cookie that proves it is bound to this path. */
export const finishPathOf = (realm: Realm, id: string) => `${issuerPath(realm)}/finish/${id}`
