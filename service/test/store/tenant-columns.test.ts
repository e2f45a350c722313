// Tests that every table of tenant data has its tenant and environment.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testDatabase } from '../harness/servers/database.ts'

/** Tables without tenants' data, each with its reason. */
const NOT_TENANT_DATA = new Map([
  ['schema_migrations', 'the history of the database'],
  ['tenants', 'the tenants themselves'],
  ['usage_days', 'the quota is per tenant and counts both environments together'],
  ['jobs', 'periodic work of the service'],
  ['status_list_failures', 'hosts of issuers that could not be reached, for the operator'],
  ['write_probe', 'when the store last proved that it takes writes'],
  ['expiry_count_mark', 'how far a job of the service has come'],
  ['expired_key_mark', 'how far a job of the service has come'],
  ['people', 'one person may be staff of several tenants'],
  ['members', 'staff of a tenant work in both environments'],
  ['passkeys', "a person's own"],
  ['passkey_challenges', "a person's own"],
  ['sign_in_links', 'staff of a tenant work in both environments'],
  ['dashboard_sessions', "a person's own"],
  ['access_links', "a person's own"],
  ['known_browsers', "a person's own"],
  ['alert_subscriptions', 'staff of a tenant work in both environments'],
  ['alert_mails', 'the quota is that of both environments'],
  ['mails', 'mails to staff, who work in both environments'],
  ['oidc_identities', "a person's own"],
  ['oidc_rounds', "a person's own"],
  ['access_authorities', "the service's own authority, one an environment"],
  ['sandbox_issuers', "the service's own test issuer and registrar"],
  ['receipt_keys', "the service's own keys"],
  ['log_heads', "the service's one log"],
  ['log_tiles', 'hashes and blinded heads, published'],
  ['log_epochs', 'statements about the one log, published'],
  ['log_witnesses', "cosignatures of the service's one log"],
  ['kept_keys', "the service's own keys"],
  ['listed_keys', 'what a published list names, read only with its list, which has both'],
  ['register_keys', 'keys of national registers, pinned by the operator for all tenants'],
])

const { db } = await testDatabase()

it('every table of tenant data has tenant_id and environment', async () => {
  const rows = await db.query<{ table: string; columns: string[] }>({
    name: 'tables_with_columns',
    text: `select table_name::text as table, array_agg(column_name::text) as columns
           from information_schema.columns where table_schema = current_schema() group by table_name order by table_name`,
  })
  const lacking = rows.filter(({ columns }) => !columns.includes('tenant_id') || !columns.includes('environment'))
  assert.deepEqual(
    lacking.map(({ table }) => table).filter((table) => !NOT_TENANT_DATA.has(table)),
    [],
  )
})
