// Deletes content whose time is over, even if it was not delivered, and records each deletion on the audit trail.

import type { Deps } from '../../../../deps.ts'
import { instantOf, NEVER_STOPPED } from '../../../../platform/world.ts'
import type { AuditEvent } from '../../../ports/audit.ts'
import { type Realm, realmName } from '../../../tenants/domain/realm.ts'
import {
  findUnrecordedAcrossTenants,
  forgetOverdueAcrossTenants,
  isOverdueAcrossTenants,
  takeUnrecorded,
  type UnrecordedForgetting,
} from '../../store/forgetting.ts'

const STEP_ROWS = 500
const STEPS_MAX = 100
/** Includes content that becomes due before the next run, so that nothing is kept too long. */
const AHEAD_MS = 10_000

type Needs = Pick<Deps, 'db' | 'clock' | 'audit' | 'log' | 'metrics'>

export async function forgetDueContent(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<number> {
  let forgotten = 0
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    stopped.throwIfAborted()
    const nowMs = deps.clock.now()
    const due = { until: instantOf(nowMs + AHEAD_MS), at: instantOf(nowMs), rowsMax: STEP_ROWS }
    const count = await forgetOverdueAcrossTenants(deps.db, due)
    forgotten += count
    if (count < STEP_ROWS) break
  }
  for (const realm of await findUnrecordedAcrossTenants(deps.db)) {
    stopped.throwIfAborted()
    await recordOrReport(deps, realm)
  }
  return forgotten
}

/** Whether overdue content is still stored: then the job does not run. Such content is not readable anyway. */
export const isContentOverdue = (deps: Pick<Deps, 'db' | 'clock'>): Promise<boolean> =>
  isOverdueAcrossTenants(deps.db, instantOf(deps.clock.now()))

/** The content is already deleted, so an error of the trail must not fail the caller. The job retries the record. */
export async function recordOrReport(deps: Needs, realm: Realm): Promise<void> {
  try {
    await recordForgettings(deps, realm)
  } catch (error) {
    deps.metrics.alarms.inc({ alarm: 'forgetting_not_recorded' })
    deps.log.fault('forgotten content is not on the audit trail yet', error, { tenant: realm.tenantId })
  }
}

/** Records every deletion that the trail of a realm lacks. */
export async function recordForgettings(
  deps: Pick<Deps, 'db' | 'clock' | 'audit'>,
  { tenantId, environment }: Realm,
): Promise<void> {
  const realm = { tenantId, environment }
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const count = await deps.db.transaction(async (tx) => {
      const taken = await takeUnrecorded(tx, realm, STEP_ROWS)
      if (taken.length === 0) return 0
      const now = instantOf(deps.clock.now())
      const events = taken.map(eventOf)
      await deps.audit.recordAll(tx, realm, { now, events })
      return taken.length
    })
    if (count < STEP_ROWS) return
  }
  throw new Error(`more deletions than one run can record: ${realmName(realm)}`)
}

/** The actor is the cause: the receipt of a delivery, or the end of the maximum time. */
function eventOf({ id, why }: UnrecordedForgetting): AuditEvent {
  return {
    action: 'verification.forgotten',
    actor: { type: 'system', id: why },
    object: { type: 'verification', id },
  }
}
