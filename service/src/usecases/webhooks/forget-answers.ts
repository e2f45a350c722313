// What receivers answered, to test events too, is kept for days, figures of an hour for weeks, uses of a key by the day for months.

import type { Deps } from '../../deps.ts'
import { USES_KEPT_DAYS } from '../../domain/tenant/api-key.ts'
import { HOURS_KEPT_MS } from '../../domain/webhook/health.ts'
import { instantOf } from '../../domain/world.ts'
import { forgetKeyDaysAcrossTenants } from '../../store/tenants/key-days.ts'
import { forgetAnswersAcrossTenants } from '../../store/webhooks/answers.ts'
import { forgetHoursAcrossTenants } from '../../store/webhooks/hours.ts'
import { forgetTestEventsAcrossTenants } from '../../store/webhooks/test-events.ts'

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
