// Reads a realm's registrations and its registered identity.

import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import type { Parties } from '../domain/identity.ts'
import type { Registration } from '../domain/registration.ts'
import { loadIdentity } from '../store/identities.ts'
import { listRegistrations } from '../store/registrations.ts'

export async function readParties(deps: Pick<Deps, 'db'>, realm: Realm): Promise<Parties> {
  return {
    identity: await loadIdentity(deps.db, realm),
    own: await loadIdentity(deps.db, { tenantId: null, environment: realm.environment }),
  }
}

/** The registrations in use, with the parties that they are checked against. */
export async function readRegistrations(
  deps: Pick<Deps, 'db' | 'clock'>,
  realm: Realm,
): Promise<Parties & { readonly registrations: readonly Registration[] }> {
  const all = await listRegistrations(deps.db, realm, instantOf(deps.clock.now()))
  return { ...(await readParties(deps, realm)), registrations: all.filter(({ removedAt }) => removedAt === null) }
}
