// Addresses that a realm keeps for its webhooks. One of them may be the default: verifications that staff make go there. A
// verification of the API goes where it says, and nowhere where it says nothing.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { Instant } from '../../../platform/world.ts'

/** For a tenant and environment. */
export const ENDPOINTS_MAX = 20

export interface Endpoint {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly isDefault: boolean
  readonly createdAt: Instant
}

/** Where a sealed address belongs. */
export const endpointSealContext = (realm: Realm, id: string) => `webhook_endpoints.url|${realmName(realm)}|${id}`

export function renderEndpoint(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    name: endpoint.name,
    url: endpoint.url,
    is_default: endpoint.isDefault,
    created_at: endpoint.createdAt,
  }
}
