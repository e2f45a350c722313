// Forecasts a tenant's usage, today and this month.

import { utcDayOf } from '../../../core/quota/domain/quota.ts'
import { loadUsageBetween } from '../../../core/quota/store/usage.ts'
import type { Deps } from '../../../deps.ts'
import { FORECAST_DAYS, type Forecast, forecastOf } from '../domain/forecast.ts'

const DAY_MS = 86_400_000

export async function readForecast(
  deps: Pick<Deps, 'db' | 'clock'>,
  tenantId: string,
  quota: number,
): Promise<Forecast> {
  const nowMs = deps.clock.now()
  const today = utcDayOf(nowMs)
  const [forecastFrom, firstOfMonth] = [utcDayOf(nowMs - FORECAST_DAYS * DAY_MS), `${today.slice(0, 7)}-01`]
  const from = forecastFrom < firstOfMonth ? forecastFrom : firstOfMonth
  return forecastOf(await loadUsageBetween(deps.db, tenantId, { from, to: today }), quota, nowMs)
}
