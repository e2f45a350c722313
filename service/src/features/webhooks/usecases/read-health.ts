// Reads a realm's webhook statistics of the last hours.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { HEALTH_HOURS, type WebhookHour } from '../domain/health.ts'
import { listWebhookHours } from '../store/hours.ts'

const HOUR_MS = 3_600_000

/** Returns every hour, oldest first, also hours without attempts. */
export async function readWebhookHealth(deps: Pick<Deps, 'db' | 'clock'>, realm: Realm): Promise<WebhookHour[]> {
  const thisHourMs = Math.floor(deps.clock.now() / HOUR_MS) * HOUR_MS
  const firstMs = thisHourMs - (HEALTH_HOURS - 1) * HOUR_MS
  const counted = await listWebhookHours(deps.db, realm, instantOf(firstMs))
  const known = new Map(counted.map((one) => [one.hour, one]))
  return Array.from({ length: HEALTH_HOURS }, (_, nth) => {
    const hour = instantOf(firstMs + nth * HOUR_MS)
    return known.get(hour) ?? { hour, attempts: 0, delivered: 0, tookMs: 0, slowestMs: 0 }
  })
}
