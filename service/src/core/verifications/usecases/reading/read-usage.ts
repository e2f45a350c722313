// Reads how much of today's quota is spent, and the usage of the last days.

import type { Deps } from '../../../../deps.ts'
import { type Usage, usageOf, utcDayOf } from '../../../quota/domain/quota.ts'
import { loadRecentUsage } from '../../../quota/store/usage.ts'
import { dailyQuotaOf } from '../../../tenants/domain/tenant.ts'
import { loadTenant } from '../../../tenants/store/tenants.ts'

export async function readUsage(deps: Pick<Deps, 'db' | 'clock'>, tenantId: string): Promise<Usage> {
  const today = utcDayOf(deps.clock.now())
  const tenant = await loadTenant(deps.db, tenantId)
  if (tenant === null) throw new Error('bug: a principal without its tenant')
  return usageOf(today, dailyQuotaOf(tenant), await loadRecentUsage(deps.db, tenantId, today))
}
