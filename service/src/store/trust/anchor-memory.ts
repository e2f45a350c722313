// What a process remembers of trust anchors. The same list is the same array as long as nothing changed, so that the
// engine parses it once; a removal anywhere takes effect through NOTIFY, or within seconds if that is lost.

import { type Realm, realmName } from '../../domain/tenant/realm.ts'
import type { TrustAnchor } from '../../domain/trust/anchor.ts'
import { type Environment, instantOf } from '../../domain/world.ts'
import type { Db } from '../postgres/db.ts'
import { ANCHOR_CHANNEL, loadAnchors } from './anchors.ts'

/** Stated staleness of an anchor that was removed. */
const REMEMBER_MS = 5_000
const REALMS_MAX = 5_000

export interface AnchorMemory {
  find(realm: Realm, nowMs: number): Promise<readonly TrustAnchor[]>
  /** For the process that has just changed one. */
  forget(): void
  close(): Promise<void>
}

interface Remembered {
  readonly names: string
  readonly anchors: readonly TrustAnchor[]
  readonly until: number
}

/** `beside` are anchors that stand in no table: the sandbox issuer's, in its environment. */
export async function createAnchorMemory(
  db: Db,
  beside: (environment: Environment) => readonly TrustAnchor[],
): Promise<AnchorMemory> {
  const realms = new Map<string, Remembered>()
  let generation = 0
  const expire = () => {
    generation += 1
    // The arrays stay, to be recognised; only their time is over.
    for (const [name, remembered] of realms) realms.set(name, { ...remembered, until: Number.NEGATIVE_INFINITY })
  }
  const stop = await db.listen(ANCHOR_CHANNEL, expire, expire)
  return {
    async find(realm, nowMs) {
      const name = realmName(realm)
      const remembered = realms.get(name)
      if (remembered !== undefined && nowMs < remembered.until) return remembered.anchors
      const began = generation
      const installed = await loadAnchors(db, realm, instantOf(nowMs))
      const names = installed.map(({ id }) => id).join()
      const anchors = remembered?.names === names ? remembered.anchors : [...installed, ...beside(realm.environment)]
      if (began === generation) {
        if (realms.size >= REALMS_MAX) realms.clear()
        realms.set(name, { names, anchors, until: nowMs + REMEMBER_MS })
      }
      return anchors
    },
    forget: expire,
    close: stop,
  }
}
