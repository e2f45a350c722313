// Batches commits: items whose rows are free are written in one transaction for many tenants of an environment; an item
// whose rows are locked waits in a queue of its realm, so that no realm waits for another's.

import type { Deps } from '../../../deps.ts'
import type { Work } from '../../../platform/batch.ts'
import { type Realm, realmName } from '../../tenants/domain/realm.ts'

/** The mutex key of all work that writes audit trails. */
const TURN = 'trail'

/** How often the shared batch is tried: another process may hold the rows for the moment of its batch. */
const SHARED_TRIES = 2

/** A transaction of this many rows still ends within a few milliseconds. */
const ITEMS_MAX = 64

export interface OfRealm {
  readonly realm: Realm
}

interface Committing<Needs, Item, Result> {
  /** null if its rows were not free, or the batch failed as a whole: nothing of it was written. */
  readonly shared: Work<Needs, Item, Result | null>
  readonly own: Work<Needs, Item, Result>
}

export function committing<Needs, Item extends OfRealm, Result>(runs: {
  readonly shared: Work<Needs, Item, Result | null>['run']
  readonly own: Work<Needs, Item, Result>['run']
}): Committing<Needs, Item, Result> {
  const shape = { itemsMax: ITEMS_MAX, turn: TURN }
  return {
    shared: { ...shape, whose: ({ realm }) => realmName(realm), run: runs.shared },
    own: { ...shape, run: runs.own },
  }
}

export async function commitInBatch<Needs extends Pick<Deps, 'batcher'>, Item extends OfRealm, Result>(
  deps: Needs,
  { shared, own }: Committing<Needs, Item, Result>,
  item: Item,
): Promise<Result> {
  const line = realmName(item.realm)
  // If others wait already, the rows are not free: skip the attempt.
  for (let tried = 0; tried < SHARED_TRIES && !deps.batcher.isBusy(TURN, line); tried += 1) {
    const together = await deps.batcher.add(shared, deps, { lane: item.realm.environment, item })
    if (together !== null) return together
  }
  return deps.batcher.add(own, deps, { lane: line, item })
}

/** In the order of each realm's first item. */
export function byRealm<Item extends OfRealm>(items: readonly Item[]): ReadonlyMap<string, readonly Item[]> {
  return Map.groupBy(items, ({ realm }) => realmName(realm))
}
