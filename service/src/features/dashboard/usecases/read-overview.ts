// The start page: completed first steps, open verifications, and problems. The outcomes: read-figures.ts.

import { TTL_SECONDS } from '../../../../../wire/values/verifications.ts'
import type { Usage } from '../../../core/quota/domain/quota.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { readUsage } from '../../../core/verifications/usecases/reading/read-usage.ts'
import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { countRecentDeliveries, type DeliveryCounts, listDestinations } from '../../webhooks/index.ts'
import { countWaiting, loadFirstSteps } from '../store/for-staff.ts'

const DAY_MS = 86_400_000
/** More than this are not counted exactly. */
const COUNTED_MAX = 10_000

export interface Overview {
  readonly steps: Awaited<ReturnType<typeof loadFirstSteps>>
  /** Can still be answered. */
  readonly waiting: number
  readonly usage: Usage
  readonly failingDestinations: number
  /** Of the last day. */
  readonly deliveries: DeliveryCounts
}

export async function readOverview(deps: Pick<Deps, 'db' | 'clock'>, realm: Realm): Promise<Overview> {
  const nowMs = deps.clock.now()
  // Older ones have expired.
  const since = instantOf(nowMs - TTL_SECONDS.max * 1000)
  const [steps, waiting, usage, failing, deliveries] = await Promise.all([
    loadFirstSteps(deps.db, realm),
    countWaiting(deps.db, realm, { since, now: instantOf(nowMs), window: COUNTED_MAX }),
    readUsage(deps, realm.tenantId),
    listDestinations(deps, realm),
    countRecentDeliveries(deps.db, realm, { since: instantOf(nowMs - DAY_MS), window: COUNTED_MAX }),
  ])
  return { steps, waiting, usage, failingDestinations: failing.length, deliveries }
}
