// Checks proven pages again every day. A proof lapses after three failed days in a row.

import type { Origin } from '../../../../core/tenants/domain/origin.ts'
import type { Realm } from '../../../../core/tenants/domain/realm.ts'
import {
  findFailingOriginsAcrossTenants,
  findOriginsToCheckAcrossTenants,
  leaseOriginCheck,
  noteFailedCheck,
  setOriginProof,
} from '../../../../core/tenants/store/origins.ts'
import type { Deps } from '../../../../deps.ts'
import type { Diagnosis } from '../../../../platform/diagnosis.ts'
import { instantOf, NEVER_STOPPED } from '../../../../platform/world.ts'
import { aboutOrigin } from './manage-origins.ts'
import { checkOrigin } from './prove-origin.ts'

const LOOK_EVERY_MS = 86_400_000
const FAILURES_MAX = 3
/** Each check takes at most ten seconds, so a run ends before the job's lease does. The next run checks the remaining origins. */
const ORIGINS_PER_RUN = 400
const AT_ONCE = 8
const RECHECK = { type: 'system', id: 'recheck-origins' } as const
const WARNINGS_MAX = 50

type Needs = Pick<Deps, 'db' | 'clock' | 'audit' | 'egress'>

export async function recheckOrigins(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<void> {
  const before = instantOf(deps.clock.now() - LOOK_EVERY_MS)
  const waiting = await findOriginsToCheckAcrossTenants(deps.db, before, ORIGINS_PER_RUN)
  const worker = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      stopped.throwIfAborted()
      await recheck(deps, one)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function recheck(deps: Needs, origin: Origin & Realm): Promise<void> {
  const { id, tenantId, environment } = origin
  const realm = { tenantId, environment }
  const nowMs = deps.clock.now()
  const lease = { id, now: instantOf(nowMs), before: instantOf(nowMs - LOOK_EVERY_MS) }
  // Another run has checked the origin in the meantime.
  if (!(await leaseOriginCheck(deps.db, realm, lease))) return
  const proven = (await checkOrigin(deps.egress[environment], origin)) === 'proven'
  const now = instantOf(deps.clock.now())
  if (proven) {
    await setOriginProof(deps.db, realm, { id, provenAt: now })
    return
  }
  await deps.db.transaction(async (tx) => {
    const noted = await noteFailedCheck(tx, realm, { id, failuresMax: FAILURES_MAX })
    if (noted?.lapsed)
      await deps.audit.record(tx, realm, { now, actor: RECHECK, action: 'origin.unproven', ...aboutOrigin(origin) })
  })
}

export async function diagnoseOrigins({ db }: Pick<Deps, 'db'>): Promise<Diagnosis[]> {
  return (await findFailingOriginsAcrossTenants(db, WARNINGS_MAX)).map(
    ({ tenantId, origin, failedChecks, provenAt }) => ({
      area: 'origins',
      status: 'warning',
      finding:
        provenAt === null
          ? `${tenantId}: ${origin} no longer shows its line; verifications there are refused`
          : `${tenantId}: ${origin} did not show its line ${failedChecks} of ${FAILURES_MAX} times`,
      remedy: 'show the line again and prove the origin, or remove it (`vidimus origin`)',
    }),
  )
}
