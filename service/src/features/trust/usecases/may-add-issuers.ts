// Decides whether a tenant's owners may add issuers.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { loadTenantSettings } from '../../../core/tenants/store/settings.ts'
import type { Deps } from '../../../deps.ts'

/** In live an issuer decides what counts as proof, so the operator must have allowed this. */
export async function mayAddIssuers(deps: Pick<Deps, 'db'>, realm: Realm): Promise<boolean> {
  if (realm.environment === 'test') return true
  return (await loadTenantSettings(deps.db, realm.tenantId))?.ownTrustInLive === true
}
