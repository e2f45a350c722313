// Caches a realm's registrations, so that a creation chooses one without a query.

import { createCache } from '../../../platform/cache.ts'
import { type Batcher, type BatchJob, createBatcher } from '../../../platform/event-loop/batch.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { instantOf } from '../../../platform/world.ts'
import { type Realm, realmName } from '../../tenants/domain/realm.ts'
import type { Registered } from '../domain/choose.ts'
import type { Registration } from '../domain/registration.ts'
import { loadIdentity } from './identities.ts'
import { haveRegistrations, listRegistrations, loadRegistration, REGISTRATION_CHANNEL } from './registrations.ts'

/** An added or removed certificate takes effect everywhere within this time even if its notification is lost. */
const TTL_MS = 5_000
/** The certificates of one realm may take 20 MB of this. */
const BYTES_MAX = 128 * 1024 * 1024

/** Most tenants have none, so one query answers for all tenants that are looked up at the same time. */
const HAVE_SOME: BatchJob<Db, Realm, boolean> = {
  itemsMax: 64,
  async run(db, realms) {
    const [first] = realms
    if (first === undefined) return []
    const tenantIds = realms.map(({ tenantId }) => tenantId)
    return haveRegistrations(db, { tenantIds, environment: first.environment })
  },
}

export interface RegistrationCache {
  /** What a new verification may use. */
  find(realm: Realm, nowMs: number): Promise<Registered>
  /** The registration that a verification was created under, even if it was removed. */
  findOne(realm: Realm, id: string, nowMs: number): Promise<Registration | null>
  /** Empties the cache. For the process that has just changed a registration. */
  forget(): void
  close(): Promise<void>
}

interface RealmRegistrations {
  readonly registered: Registered
  readonly byId: ReadonlyMap<string, Registration>
  /** Characters of all certificates. */
  readonly length: number
}

export async function createRegistrationCache(db: Db, bytesMax = BYTES_MAX): Promise<RegistrationCache> {
  const cache = createCache<RealmRegistrations>({ bytesMax, bytesOf: ({ length }) => 2 * length, ttlMs: TTL_MS })
  const batcher = createBatcher()
  const stop = await db.listen(REGISTRATION_CHANNEL, cache.clear, cache.clear)
  const find = (realm: Realm, nowMs: number) =>
    cache.find(realmName(realm), nowMs, () => load(db, batcher, { realm, nowMs }))
  return {
    find: async (realm, nowMs) => (await find(realm, nowMs)).registered,
    async findOne(realm, id, nowMs) {
      const known = (await find(realm, nowMs)).byId.get(id)
      // Another process may have added it, with its notification still on the way.
      return known ?? loadRegistration(db, realm, id)
    },
    forget: cache.clear,
    close: stop,
  }
}

const NONE: RealmRegistrations = {
  registered: { registrations: [], identity: null, own: null },
  byId: new Map(),
  length: 0,
}

async function load(
  db: Db,
  batcher: Batcher,
  { realm, nowMs }: { readonly realm: Realm; readonly nowMs: number },
): Promise<RealmRegistrations> {
  if (!(await batcher.add(HAVE_SOME, db, { lane: realm.environment, item: realm }))) return NONE
  const all = await listRegistrations(db, realm, instantOf(nowMs))
  const byId = new Map(all.map((one) => [one.id, one]))
  const length = all.reduce((sum, { certificate }) => sum + certificate.raw.length, 0)
  const registrations = all.filter(({ removedAt }) => removedAt === null)
  if (registrations.length === 0) return { ...NONE, byId, length }
  const identity = await loadIdentity(db, realm)
  const own = await loadIdentity(db, { tenantId: null, environment: realm.environment })
  return { registered: { registrations, identity, own }, byId, length }
}
