// What a process remembers of a realm's registrations, so that a creation chooses one without asking the store. A change anywhere
// empties it through NOTIFY; a lost notification is made good within seconds.

import { createLanes, type Lanes, type Work } from '../../domain/lanes.ts'
import type { Registered } from '../../domain/registration/choose.ts'
import type { Registration } from '../../domain/registration/registration.ts'
import { type Realm, realmName } from '../../domain/tenant/realm.ts'
import { instantOf } from '../../domain/world.ts'
import type { Db } from '../postgres/db.ts'
import { loadIdentity } from './identities.ts'
import { haveRegistrations, listRegistrations, loadRegistration, REGISTRATION_CHANNEL } from './registrations.ts'

/** Stated staleness of a certificate that was added or removed. */
const REMEMBER_MS = 5_000
const REALMS_MAX = 5_000
/** Characters of certificates, of all realms; one realm may hold ten million. */
const LENGTH_MAX = 64_000_000

/** Most have none: of tenants that are looked for at once one query says who has some. */
const HAVE_SOME: Work<Db, Realm, boolean> = {
  itemsMax: 64,
  async run(db, realms) {
    const [first] = realms
    if (first === undefined) return []
    const tenantIds = realms.map(({ tenantId }) => tenantId)
    return haveRegistrations(db, { tenantIds, environment: first.environment })
  },
}

export interface RegistrationMemory {
  /** What a new verification may be asked under. */
  find(realm: Realm, nowMs: number): Promise<Registered>
  /** The one that a verification was asked under, removed or not. */
  findOne(realm: Realm, id: string, nowMs: number): Promise<Registration | null>
  /** For the process that has just changed one. */
  forget(): void
  close(): Promise<void>
}

interface Remembered {
  readonly registered: Registered
  readonly byId: ReadonlyMap<string, Registration>
  readonly until: number
  readonly length: number
}

export async function createRegistrationMemory(db: Db, lengthMax = LENGTH_MAX): Promise<RegistrationMemory> {
  const realms = new Map<string, Remembered>()
  /** Creations come in crowds: who asks meanwhile waits for the same answer. */
  const loading = new Map<string, Promise<Remembered>>()
  const lanes = createLanes()
  let generation = 0
  let length = 0
  const empty = () => {
    realms.clear()
    length = 0
  }
  const forget = () => {
    generation += 1
    empty()
    loading.clear()
  }
  const stop = await db.listen(REGISTRATION_CHANNEL, forget, forget)
  const remember = async (realm: Realm, nowMs: number): Promise<Remembered> => {
    const name = realmName(realm)
    const known = realms.get(name)
    if (known !== undefined && nowMs < known.until) return known
    const underWay = loading.get(name)
    if (underWay !== undefined) return underWay
    const fresh = keep(name, realm, nowMs)
    loading.set(name, fresh)
    return fresh
  }
  const keep = async (name: string, realm: Realm, nowMs: number): Promise<Remembered> => {
    const began = generation
    try {
      const fresh = { ...(await load(db, lanes, { realm, nowMs })), until: nowMs + REMEMBER_MS }
      if (began === generation) {
        length -= realms.get(name)?.length ?? 0
        realms.delete(name)
        if (realms.size >= REALMS_MAX || length + fresh.length > lengthMax) empty()
        realms.set(name, fresh)
        length += fresh.length
      }
      return fresh
    } finally {
      if (began === generation) loading.delete(name)
    }
  }
  return {
    find: async (realm, nowMs) => (await remember(realm, nowMs)).registered,
    async findOne(realm, id, nowMs) {
      const known = (await remember(realm, nowMs)).byId.get(id)
      // Added since, by another process whose word is still on its way.
      return known ?? loadRegistration(db, realm, id)
    },
    forget,
    close: stop,
  }
}

const NONE: Omit<Remembered, 'until'> = {
  registered: { registrations: [], identity: null, own: null },
  byId: new Map(),
  length: 0,
}

async function load(
  db: Db,
  lanes: Lanes,
  { realm, nowMs }: { readonly realm: Realm; readonly nowMs: number },
): Promise<Omit<Remembered, 'until'>> {
  if (!(await lanes.add(HAVE_SOME, db, { lane: realm.environment, item: realm }))) return NONE
  const all = await listRegistrations(db, realm, instantOf(nowMs))
  const byId = new Map(all.map((one) => [one.id, one]))
  const length = all.reduce((sum, { certificate }) => sum + certificate.raw.length, 0)
  const registrations = all.filter(({ removedAt }) => removedAt === null)
  if (registrations.length === 0) return { ...NONE, byId, length }
  const identity = await loadIdentity(db, realm)
  const own = await loadIdentity(db, { tenantId: null, environment: realm.environment })
  return { registered: { registrations, identity, own }, byId, length }
}
