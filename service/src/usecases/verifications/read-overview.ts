// The first page: what is done of the first steps, how the last day went, what needs somebody's eye.

import type { Deps } from '../../deps.ts'
import type { Usage } from '../../domain/tenant/quota.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { instantOf } from '../../domain/world.ts'
import { countRecent, loadFirstSteps, type RecentCounts } from '../../store/verifications/for-staff.ts'
import { listDestinations } from '../webhooks/watch-destinations.ts'
import { readUsage } from './read-usage.ts'

const DAY_MS = 86_400_000
/** More than this of one day are not counted one by one. */
const COUNTED_MAX = 20_000

export interface Overview {
  readonly steps: Awaited<ReturnType<typeof loadFirstSteps>>
  readonly lastDay: RecentCounts
  readonly usage: Usage
  readonly failingDestinations: number
}

export async function readOverview(deps: Pick<Deps, 'db' | 'clock'>, realm: Realm): Promise<Overview> {
  const nowMs = deps.clock.now()
  const look = { since: instantOf(nowMs - DAY_MS), now: instantOf(nowMs), window: COUNTED_MAX }
  const [steps, lastDay, usage, failing] = await Promise.all([
    loadFirstSteps(deps.db, realm),
    countRecent(deps.db, realm, look),
    readUsage(deps, realm.tenantId),
    listDestinations(deps, realm),
  ])
  return { steps, lastDay, usage, failingDestinations: failing.length }
}
