// Defines a realm: a tenant and one of its environments. Every row of a merchant belongs to a realm.

import type { Environment } from '../../../platform/world.ts'

export interface Realm {
  readonly tenantId: string
  readonly environment: Environment
}

/** Names a row in the context of its seals. */
export type RealmRow = Realm & { readonly id: string }

export const realmName = (realm: Realm) => `${realm.tenantId}|${realm.environment}`

/** Batches that write the trails of realms. Realms of one environment share a batch if their rows are not locked. */
export const TRAIL_BATCHES = {
  mutexKey: 'trail',
  /** A transaction of this many rows still ends within a few milliseconds. */
  itemsMax: 64,
  ownerOf: ({ realm }: { readonly realm: Realm }) => realmName(realm),
  laneOf: ({ realm }: { readonly realm: Realm }) => realm.environment,
} as const
