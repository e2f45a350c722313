// Checks whether this process can serve: the store answers, accepts writes, and has a schema that this code knows.

import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { migrationState } from '../../../platform/postgres/migrate.ts'
import { requireRoomForWrites } from '../../../platform/postgres/writes.ts'

/** Strangers may call this, so it queries the store at most once per second. */
const CACHE_MS = 1_000

export interface Readiness {
  /** Throws a refusal while this process cannot serve. */
  check(): Promise<void>
}

export function createReadiness(deps: Pick<Deps, 'db' | 'clock' | 'log'>): Readiness {
  let cached: { readonly at: number; readonly ready: Promise<boolean> } | undefined
  return {
    async check() {
      const now = deps.clock.now()
      if (cached === undefined || now - cached.at >= CACHE_MS) cached = { at: now, ready: isReady(deps) }
      if (await cached.ready) return
      throw new Refusal('unavailable', { message: 'The store is not ready.', retryAfterSeconds: 1, missing: 'store' })
    },
  }
}

async function isReady(deps: Pick<Deps, 'db' | 'log'>): Promise<boolean> {
  try {
    const { state } = await migrationState(deps.db.probe)
    // An older release keeps working on a migrated store during a rolling deployment.
    if (state === 'current' || state === 'ahead') {
      await requireRoomForWrites(deps.db.probe)
      return true
    }
    deps.log.warn('not ready: the schema does not fit', { outcome: state })
  } catch (error) {
    deps.log.fault('not ready: the store does not answer or takes no writes', error)
  }
  return false
}
