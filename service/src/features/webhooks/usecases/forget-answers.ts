// Deletes expired receivers' responses, test events, hourly statistics and daily key uses.

import { USES_KEPT_DAYS } from '../../../core/tenants/domain/api-key.ts'
import { forgetKeyDaysAcrossTenants } from '../../../core/tenants/store/key-days.ts'
import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { HOURS_KEPT_MS } from '../domain/health.ts'
import { forgetAnswersAcrossTenants } from '../store/answers.ts'
import { forgetHoursAcrossTenants } from '../store/hours.ts'
import { forgetTestEventsAcrossTenants } from '../store/test-events.ts'

const ROWS_MAX = 1_000
const DAY_MS = 86_400_000

export async function forgetAnswers(deps: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  while ((await forgetAnswersAcrossTenants(deps.db, now, ROWS_MAX)) === ROWS_MAX);
  while ((await forgetTestEventsAcrossTenants(deps.db, now, ROWS_MAX)) === ROWS_MAX);
  await forgetHoursAcrossTenants(deps.db, instantOf(nowMs - HOURS_KEPT_MS))
  await forgetKeyDaysAcrossTenants(deps.db, instantOf(nowMs - USES_KEPT_DAYS * DAY_MS).slice(0, 10))
}
