// Webhook addresses that a realm has saved. The default one is used only for verifications that staff create.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { Instant } from '../../../platform/world.ts'

/** Per tenant and environment. */
export const ENDPOINTS_MAX = 20

export interface Endpoint {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly isDefault: boolean
  readonly createdAt: Instant
}

/** Returns the context that an address is sealed with. */
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
