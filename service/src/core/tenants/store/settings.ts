// Stores tenants' settings, which are columns of the tenant's row.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import { SETTINGS, type TenantSettings } from '../domain/settings.ts'
import type { Plan } from '../domain/tenant.ts'

const COLUMNS = SETTINGS.map(({ key, name }) => `${name} as "${key}"`).join(', ')
const LOAD = {
  name: 'load_tenant_settings',
  text: `select plan, daily_quota as "dailyQuota", ${COLUMNS} from tenants where id = $1`,
}
const LOCK = { name: 'lock_tenant_settings', text: `select ${COLUMNS} from tenants where id = $1 for no key update` }
const UPDATE = {
  name: 'update_tenant_settings',
  text: `update tenants set ${SETTINGS.map(({ name }, at) => `${name} = $${at + 2}`).join(', ')} where id = $1 returning id`,
}

/** Includes the columns of the quota, because a creation needs both and makes one query. */
interface SettingsRow extends TenantSettings {
  readonly plan: Plan
  readonly dailyQuota: number | null
}

export async function loadTenantSettings(tx: Tx, tenantId: string): Promise<SettingsRow | null> {
  const [row] = await tx.query<SettingsRow>(LOAD, [tenantId])
  return row ?? null
}

/** Skips ids without a tenant. */
export async function loadSettingsAcrossTenants(
  tx: Tx,
  tenantIds: readonly string[],
): Promise<(TenantSettings & { readonly tenantId: string })[]> {
  return tx.query(
    {
      name: 'load_settings_of_tenants',
      text: `select id as "tenantId", ${COLUMNS} from tenants where id = any ($1::text[])`,
    },
    [tenantIds],
  )
}

/** Makes concurrent changes wait. Weaker than a lock for deletion, so that rows of the tenant can be inserted. */
export async function lockTenantSettings(tx: Tx, tenantId: string): Promise<TenantSettings | null> {
  const [row] = await tx.query<TenantSettings>(LOCK, [tenantId])
  return row ?? null
}

/** False if there is no such tenant. */
export async function updateTenantSettings(tx: Tx, tenantId: string, settings: TenantSettings): Promise<boolean> {
  const rows = await tx.query(UPDATE, [tenantId, ...SETTINGS.map(({ key }) => settings[key])])
  return rows.length === 1
}

/** Writes at most once an hour, because a tenant may have many webhooks. */
export async function notePlainHttpWebhook(tx: Tx, tenantId: string, now: Instant): Promise<void> {
  await tx.query(
    {
      name: 'note_plain_http_webhook',
      text: `update tenants set plain_http_webhook_at = $2 where id = $1
               and (plain_http_webhook_at is null or plain_http_webhook_at <= $2::timestamptz - interval '1 hour')`,
    },
    [tenantId, now],
  )
}

const STILL_TAKES_PLAIN_HTTP = 'plain_http_webhook_at > $1 and not live_webhooks_https_only'

/** null if no live webhook was sent over plain http since then, or if the tenant now requires https. */
export async function loadPlainHttpWebhook(tx: Tx, tenantId: string, since: Instant): Promise<Instant | null> {
  const [row] = await tx.query<{ at: Instant }>(
    {
      name: 'load_plain_http_webhook',
      text: `select plain_http_webhook_at as at from tenants where ${STILL_TAKES_PLAIN_HTTP} and id = $2`,
    },
    [since, tenantId],
  )
  return row?.at ?? null
}

export async function findPlainHttpWebhooksAcrossTenants(tx: Tx, since: Instant): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    {
      name: 'find_plain_http_webhooks',
      text: `select id from tenants where ${STILL_TAKES_PLAIN_HTTP} order by id`,
    },
    [since],
  )
  return rows.map(({ id }) => id)
}
