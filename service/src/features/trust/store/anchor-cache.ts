// Caches trust anchors. An unchanged list stays the same array, so that the engine parses it once.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import { createCache } from '../../../platform/cache.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { type Environment, instantOf } from '../../../platform/world.ts'
import type { InstalledAnchor, TrustAnchor } from '../domain/anchor.ts'
import type { ListedKeys } from '../domain/sole-type.ts'
import { ANCHOR_CHANNEL, findListedKeys, loadAnchors } from './anchors.ts'
import { loadListedKeysState } from './listed-keys.ts'

/** If its notification is lost, the removal of an anchor still takes effect everywhere within this time. */
const TTL_MS = 5_000
const BYTES_MAX = 64 * 1024 * 1024
/** Estimated size of a parsed certificate with its row. */
const ANCHOR_BYTES = 4_000
/** Estimated size of a hash in hex with a type, in a map. */
const KEY_BYTES = 150

export interface AnchorCache {
  find(realm: Realm, nowMs: number): Promise<readonly TrustAnchor[]>
  /** Called by the process that has just changed an anchor. */
  forget(): void
  close(): Promise<void>
}

interface RealmAnchors {
  readonly ids: string
  readonly installed: readonly InstalledAnchor[]
  readonly anchors: readonly TrustAnchor[]
  readonly named: NamedKeys
}

/** The keys that lists name, with their state in the store. */
interface NamedKeys {
  readonly state: string
  readonly keys: ListedKeys | null
}

const NOT_ASKED: NamedKeys = { state: '', keys: null }

/**
 * `additional`: anchors outside the table, such as the sandbox issuer's in its environment. `prepare` does what is done
 * once for a list of anchors, before an answer waits for each of them.
 */
export async function createAnchorCache(
  db: Db,
  additional: (environment: Environment) => readonly TrustAnchor[],
  prepare: (anchors: readonly TrustAnchor[]) => Promise<void>,
): Promise<AnchorCache> {
  const cache = createCache<RealmAnchors>({
    bytesMax: BYTES_MAX,
    bytesOf: ({ anchors, named }) => ANCHOR_BYTES * anchors.length + KEY_BYTES * (named.keys?.size ?? 0),
    ttlMs: TTL_MS,
  })
  const stop = await db.listen(ANCHOR_CHANNEL, cache.expire, cache.expire)
  const load = async (realm: Realm, nowMs: number, stale: RealmAnchors | undefined): Promise<RealmAnchors> => {
    let named = NOT_ASKED
    const rows = await loadAnchors(db, realm, instantOf(nowMs), async (docTypes) => {
      // The state first: keys that are named meanwhile change it again.
      const state = JSON.stringify([docTypes, await loadListedKeysState(db, realm)])
      named = stale?.named.state === state ? stale.named : { state, keys: await findListedKeys(db, realm, docTypes) }
      return named.keys
    })
    const before = new Map(stale?.installed.map((anchor) => [stateOf(anchor), anchor]))
    const installed = rows.map((row) => sameAs(before.get(stateOf(row)), row))
    const ids = `${installed.map(stateOf).join()} ${named.state}`
    if (stale?.ids === ids) return stale
    const anchors = Object.freeze([...installed, ...additional(realm.environment)])
    await prepare(anchors)
    return { ids, installed, anchors, named }
  }
  return {
    find: async (realm, nowMs) =>
      (await cache.find(realmName(realm), nowMs, (stale) => load(realm, nowMs, stale))).anchors,
    forget: cache.expire,
    close: stop,
  }
}

/** An expired list can take the mark of a sole type from an anchor, and a newer one can give it back. */
const stateOf = ({ id, sole, ended }: InstalledAnchor) => `${id}${sole ? '+' : ''}${ended ? '-' : ''}`

/** The one from before if nothing of it changed: what was found out about it is kept with the object. */
function sameAs(before: InstalledAnchor | undefined, now: InstalledAnchor): InstalledAnchor {
  if (before === undefined || before.listedKeys !== now.listedKeys) return now
  return before.issue?.sequence === now.issue?.sequence && before.issue?.sha256 === now.issue?.sha256 ? before : now
}
