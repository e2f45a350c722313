// The first start of an empty store makes a demo tenant with a test key, so that a newcomer can call the API at once.

import type { Deps } from '../deps.ts'
import { SCOPES } from '../domain/api-key.ts'
import type { Tenant } from '../domain/tenant.ts'
import { createKey } from './manage-keys.ts'
import { createTenant, listTenants } from './manage-tenants.ts'

const FIRST_START = { type: 'system', id: 'first-start' } as const

/** null when the store already knows a tenant: a secret is told once. */
export async function prepareDemo(
  deps: Pick<Deps, 'db' | 'clock' | 'random'>,
): Promise<{ tenant: Tenant; key: string } | null> {
  if ((await listTenants(deps)).length > 0) return null
  const tenant = await createTenant(deps, { name: 'Demo', plan: 'starter', dailyQuota: null, actor: FIRST_START })
  const made = await createKey(deps, {
    tenantId: tenant.id,
    environment: 'test',
    name: 'First start',
    scopes: SCOPES,
    expiresInDays: null,
    actor: FIRST_START,
  })
  if (made === null) throw new Error('bug: the demo tenant vanished')
  return { tenant, key: made.key }
}
