// Creates a demo tenant with a test key and a dashboard owner, at the first start with an empty store.

import { SCOPES } from '../../../../../wire/values/keys.ts'
import type { Tenant } from '../../../core/tenants/domain/tenant.ts'
import { createKey } from '../../../core/tenants/usecases/manage-keys.ts'
import { createTenant, listTenants } from '../../../core/tenants/usecases/manage-tenants.ts'
import type { Deps } from '../../../deps.ts'
import { type Invitation, invite } from '../../staff/index.ts'

const FIRST_START = { type: 'system', id: 'first-start' } as const
/** The account of the person who starts the service. No mail is ever sent to this address. */
const FIRST_OWNER = 'owner@localhost'

/** null if the store already has a tenant. */
export async function prepareDemo(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'audit'>,
): Promise<{ tenant: Tenant; key: string; invitation: Invitation } | null> {
  if ((await listTenants(deps)).length > 0) return null
  const tenant = await createTenant(deps, { name: 'Demo', plan: 'starter', dailyQuota: null, actor: FIRST_START })
  const created = await createKey(deps, {
    tenantId: tenant.id,
    environment: 'test',
    name: 'First start',
    scopes: SCOPES,
    expiresInDays: null,
    actor: FIRST_START,
  })
  if (created === null) throw new Error('bug: the demo tenant vanished')
  const invitation = await invite(deps, {
    tenantId: tenant.id,
    email: FIRST_OWNER,
    role: 'owner',
    actor: FIRST_START,
    byOperator: true,
  })
  if (invitation === null) throw new Error('bug: the demo tenant vanished')
  return { tenant, key: created.key, invitation }
}
