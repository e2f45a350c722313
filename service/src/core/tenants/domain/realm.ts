// A realm: a tenant and one of its environments. Every row of a merchant belongs to a realm.

import type { Environment } from '../../../platform/world.ts'

export interface Realm {
  readonly tenantId: string
  readonly environment: Environment
}

export const realmName = (realm: Realm) => `${realm.tenantId}|${realm.environment}`
