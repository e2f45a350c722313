// Caches trust anchors. An unchanged list stays the same array, so that the engine parses it once.

import { hash } from 'node:crypto'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import { createCache } from '../../../platform/cache.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { type Environment, instantOf } from '../../../platform/world.ts'
import type { TrustAnchor } from '../domain/anchor.ts'
import type { ListedKeys } from '../domain/sole-type.ts'
import { ANCHOR_CHANNEL, loadAnchors } from './anchors.ts'

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

const NO_KEYS: ListedKeys = new Map()

interface RealmAnchors {
  readonly ids: string
  readonly anchors: readonly TrustAnchor[]
  /** The number of keys that lists name. */
  readonly keys: number
}

/** `additional`: anchors outside the table, such as the sandbox issuer's in its environment. */
export async function createAnchorCache(
  db: Db,
  additional: (environment: Environment) => readonly TrustAnchor[],
): Promise<AnchorCache> {
  const cache = createCache<RealmAnchors>({
    bytesMax: BYTES_MAX,
    bytesOf: ({ anchors, keys }) => ANCHOR_BYTES * anchors.length + KEY_BYTES * keys,
    ttlMs: TTL_MS,
  })
  const stop = await db.listen(ANCHOR_CHANNEL, cache.expire, cache.expire)
  const load = async (realm: Realm, nowMs: number, stale: RealmAnchors | undefined): Promise<RealmAnchors> => {
    const installed = await loadAnchors(db, realm, instantOf(nowMs))
    // An expired list can remove the mark of a sole type from an anchor, and a newer issue can restore it.
    const states = installed.map(({ id, sole, ended }) => `${id}${sole ? '+' : ''}${ended ? '-' : ''}`)
    // All marked anchors share one map.
    const listed = installed.find(({ listedKeys }) => listedKeys !== undefined)?.listedKeys ?? NO_KEYS
    const ids = `${states.join()} ${digestOf(listed)}`
    if (stale?.ids === ids) return stale
    return { ids, anchors: [...installed, ...additional(realm.environment)], keys: listed.size }
  }
  return {
    find: async (realm, nowMs) =>
      (await cache.find(realmName(realm), nowMs, (stale) => load(realm, nowMs, stale))).anchors,
    forget: cache.expire,
    close: stop,
  }
}

function digestOf(listed: ListedKeys): string {
  return hash(
    'sha256',
    [...listed]
      .map(([key, docType]) => JSON.stringify([key, docType]))
      .sort()
      .join(),
  )
}
