// Can this process serve? The store answers and its migrations are the ones this code knows.

import type { Deps } from '../deps.ts'
import { Refusal } from '../domain/errors.ts'
import { migrationState } from '../store/migrate.ts'

export async function checkReadiness(deps: Pick<Deps, 'db' | 'log'>): Promise<void> {
  try {
    const { state } = await migrationState(deps.db)
    // An older release beside a migrated store works on while a deployment rolls.
    if (state === 'current' || state === 'ahead') return
    deps.log.warn('not ready: the schema does not fit', { outcome: state })
  } catch (error) {
    deps.log.fault('not ready: the store does not answer', error)
  }
  throw new Refusal('unavailable', { message: 'The store is not ready.', retryAfterSeconds: 1 })
}
