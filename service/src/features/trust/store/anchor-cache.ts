// Caches trust anchors. Unchanged anchors remain the same array, so that the engine parses them once.

import { isDeepStrictEqual } from 'node:util'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import { createCache } from '../../../platform/cache.ts'
import { inSlices } from '../../../platform/event-loop/slices.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { type Environment, instantOf } from '../../../platform/world.ts'
import type { InstalledAnchor, TrustAnchor } from '../domain/anchor.ts'
import type { ListedKeys } from '../domain/sole-type.ts'
import { ANCHOR_CHANNEL, findListedKeys, loadAnchors, loadAnchorsState } from './anchors.ts'
import { loadListedKeysState } from './listed-keys.ts'

/** If a notification is lost, the removal of an anchor takes effect after this time. */
const TTL_MS = 5_000
const BYTES_MAX = 192 * 1024 * 1024
/** Estimated size of a row, without the parsed certificate. */
const ANCHOR_BYTES = 2_500
/** Estimated size of a hash in hex with a type, in a map. */
const KEY_BYTES = 150

/** `id`: absent if the anchor is not stored. */
type CachedAnchor = TrustAnchor & Partial<Pick<InstalledAnchor, 'id'>>

export interface AnchorCache {
  find(realm: Realm, nowMs: number): Promise<readonly CachedAnchor[]>
  /** Called by the process that has just changed an anchor. */
  forget(): void
  close(): Promise<void>
}

interface RealmAnchors {
  /** A text that changes whenever the stored anchors change. */
  readonly state: string
  readonly installed: readonly InstalledAnchor[]
  readonly anchors: readonly CachedAnchor[]
  /** Memory of the parsed certificates. They stay parsed while their rows are cached. */
  readonly memory: number
  readonly named: NamedKeys
}

/** The keys that lists name for document types other than these. */
interface NamedKeys {
  /** Empty if no anchor claims a sole type. Then the keys are not loaded. */
  readonly docTypes: readonly string[]
  readonly state: string
  readonly keys: ListedKeys | null
}

const NOT_NEEDED: NamedKeys = { docTypes: [], state: '', keys: null }

/**
 * `additional`: anchors that are not stored, such as the sandbox issuer's. `prepare` prepares a list of anchors before
 * the first answer needs them, and returns the memory that this takes.
 */
export async function createAnchorCache(
  db: Db,
  additional: (environment: Environment) => readonly TrustAnchor[],
  prepare: (anchors: readonly TrustAnchor[]) => Promise<number>,
): Promise<AnchorCache> {
  const cache = createCache<RealmAnchors>({
    bytesMax: BYTES_MAX,
    bytesOf: ({ anchors, memory, named }) =>
      ANCHOR_BYTES * anchors.length + memory + KEY_BYTES * (named.keys?.size ?? 0),
    ttlMs: TTL_MS,
  })
  const stop = await db.listen(ANCHOR_CHANNEL, cache.expire, cache.expire)
  const load = async (realm: Realm, nowMs: number, stale: RealmAnchors | undefined): Promise<RealmAnchors> => {
    const now = instantOf(nowMs)
    // Reads the state before the anchors, so that a change in between leads to another load.
    const state = await loadAnchorsState(db, realm, now)
    if (stale?.state === state && (await isCurrent(stale.named, realm))) return stale
    let named = NOT_NEEDED
    const rows = await loadAnchors(db, realm, now, async (docTypes) => {
      const keysState = await loadListedKeysState(db, realm)
      const isSame = stale?.named.state === keysState && isDeepStrictEqual(stale.named.docTypes, docTypes)
      named = isSame ? stale.named : { docTypes, state: keysState, keys: await findListedKeys(db, realm, docTypes) }
      return named.keys
    })
    const installed = await inSlices(keepUnchanged(rows, stale?.installed ?? []))
    const anchors: readonly CachedAnchor[] = Object.freeze([...installed, ...additional(realm.environment)])
    const memory = await prepare(anchors)
    return { state, installed, anchors, memory, named }
  }
  const isCurrent = async ({ docTypes, state }: NamedKeys, realm: Realm) =>
    docTypes.length === 0 || (await loadListedKeysState(db, realm)) === state
  return {
    find: async (realm, nowMs) =>
      (await cache.find(realmName(realm), nowMs, (stale) => load(realm, nowMs, stale))).anchors,
    forget: cache.expire,
    close: stop,
  }
}

/** Unchanged rows keep their object, because facts about a row are cached with the object. */
function* keepUnchanged(
  rows: readonly InstalledAnchor[],
  known: readonly InstalledAnchor[],
): Generator<void, InstalledAnchor[]> {
  const before = new Map(known.map((anchor) => [anchor.id, anchor]))
  const kept: InstalledAnchor[] = []
  for (const row of rows) {
    yield
    const old = before.get(row.id)
    kept.push(old !== undefined && old.listedKeys === row.listedKeys && isDeepStrictEqual(old, row) ? old : row)
  }
  return kept
}
