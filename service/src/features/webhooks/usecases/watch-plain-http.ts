// Refuses or records live webhooks over plain http: anyone on the network path can read their results.

import {
  findPlainHttpWebhooksAcrossTenants,
  loadPlainHttpWebhook,
  loadTenantSettings,
  notePlainHttpWebhook,
} from '../../../core/tenants/store/settings.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'

/** How long the warning remains after the last webhook over plain http. */
const WARNED_OF_MS = 30 * 86_400_000

export async function admitPlainHttpWebhook(deps: Pick<Deps, 'db' | 'clock'>, tenantId: string): Promise<void> {
  const settings = await loadTenantSettings(deps.db, tenantId)
  if (settings === null || settings.liveWebhooksHttpsOnly) {
    throw new Refusal('invalid_webhook_url', {
      message: 'Live webhooks go to https addresses only: a setting of this company.',
    })
  }
  await notePlainHttpWebhook(deps.db, tenantId, instantOf(deps.clock.now()))
}

/** When a tenant last had a live webhook over plain http, to the hour. null: long ago, or the tenant now refuses them. */
export async function lastPlainHttpWebhook(
  deps: Pick<Deps, 'db' | 'clock'>,
  tenantId: string,
): Promise<Instant | null> {
  return loadPlainHttpWebhook(deps.db, tenantId, since(deps))
}

export async function tenantsWithPlainHttpWebhooks(deps: Pick<Deps, 'db' | 'clock'>): Promise<string[]> {
  return findPlainHttpWebhooksAcrossTenants(deps.db, since(deps))
}

const since = (deps: Pick<Deps, 'clock'>): Instant => instantOf(deps.clock.now() - WARNED_OF_MS)
