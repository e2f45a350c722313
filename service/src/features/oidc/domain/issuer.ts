// Defines the addresses of a realm as an OpenID issuer: the issuer itself and the pages of a sign-in.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { isTenantId } from '../../../platform/ids.ts'
import { isEnvironment } from '../../../platform/world.ts'

/** Relative to the base address. */
const issuerPath = ({ tenantId, environment }: Realm) => `/oidc/${tenantId}/${environment}`

export const issuerOf = (baseUrl: string, realm: Realm) => `${baseUrl}${issuerPath(realm)}`

/** null if the path cannot name a realm. */
export function realmOfPath(tenant: string, environment: string): Realm | null {
  return isTenantId(tenant) && isEnvironment(environment) ? { tenantId: tenant, environment } : null
}

/** The wallet sends the browser back here. */
export const returnPathOf = (realm: Realm, id: string) => `${issuerPath(realm)}/return/${id}`
/** The browser that began the sign-in gets its response here. Its cookie is bound to this path. */
export const finishPathOf = (realm: Realm, id: string) => `${issuerPath(realm)}/finish/${id}`
