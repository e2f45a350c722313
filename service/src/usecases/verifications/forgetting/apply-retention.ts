// What is kept too long is forgotten by itself: verifications past their tenant's retention, keys nobody can use any more,
// idempotent responses past their window, evidence that nobody collected. Small steps, each whole in itself; whatever is left waits for the next run.

import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../domain/errors.ts'
import { runInSteps } from '../../../domain/steps.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { Realm } from '../../../domain/tenant/realm.ts'
import { instantOf, NEVER_STOPPED } from '../../../domain/world.ts'
import { dropOverdueBundlesAcrossTenants } from '../../../store/evidence/bundles.ts'
import { destroyKeysOfExpiredAcrossTenants, findOverdueAcrossTenants } from '../../../store/verifications/erasure.ts'
import { pruneKeysOfAllTenants } from '../../../store/verifications/idempotency.ts'
import { eraseVerification } from './erase-verification.ts'

const RETENTION = { type: 'system', id: 'retention' } as const
const STEP_ROWS = 500
const STEPS = { rowsEach: STEP_ROWS, stepsMax: 100 }
/** A wallet's answer that arrived in time may still be under examination. */
const KEY_GRACE_MS = 60_000

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'log' | 'metrics' | 'headMacs' | 'listed'>

export interface Forgotten {
  readonly verifications: number
  readonly encryptionKeys: number
  readonly idempotencyKeys: number
  /** Evidence that nobody collected in time. */
  readonly bundles: number
}

export async function applyRetention(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<Forgotten> {
  const { db } = deps
  const inSteps = (step: () => Promise<number>) => runInSteps(step, { ...STEPS, stopped })
  return {
    encryptionKeys: await inSteps(() => destroyKeysOfExpiredAcrossTenants(db, beforeGrace(deps), STEP_ROWS)),
    idempotencyKeys: await inSteps(() => pruneKeysOfAllTenants(db, instantOf(deps.clock.now()), STEP_ROWS)),
    bundles: await inSteps(() => dropOverdueBundlesAcrossTenants(db, instantOf(deps.clock.now()), STEP_ROWS)),
    verifications: await eraseOverdue(deps, stopped),
  }
}

const beforeGrace = (deps: Pick<Deps, 'clock'>) => instantOf(deps.clock.now() - KEY_GRACE_MS)

/** One that cannot be erased is passed over until the next run: it keeps nobody else's. */
async function eraseOverdue(deps: Needs, stopped: AbortSignal): Promise<number> {
  const failed: string[] = []
  const found = await runInSteps(
    async () => {
      const look = { now: instantOf(deps.clock.now()), rowsMax: STEP_ROWS, except: failed }
      const overdue = await findOverdueAcrossTenants(deps.db, look)
      for (const one of overdue) {
        stopped.throwIfAborted()
        if (!(await erase(deps, one, one.id))) failed.push(one.id)
      }
      return overdue.length
    },
    { ...STEPS, stopped },
  )
  return found - failed.length
}

async function erase(deps: Needs, { tenantId, environment }: Realm, id: string): Promise<boolean> {
  try {
    await eraseVerification(deps, { realm: { tenantId, environment }, id, actor: RETENTION })
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    // The merchant was quicker.
    if (error instanceof Refusal) return true
    deps.metrics.alarms.inc({ alarm: 'retention_not_applied' })
    deps.log.fault('a verification past its retention was not erased', error, { tenant: tenantId })
    return false
  }
  return true
}
