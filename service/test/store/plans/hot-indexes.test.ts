// Tests that each index of the hot tables is needed, and that no update of a flow writes one.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import {
  findUnrecordedAcrossTenants,
  forgetOverdueAcrossTenants,
} from '../../../src/core/verifications/store/forgetting.ts'
import { lockPlainSensitiveFieldsAcrossTenants } from '../../../src/core/verifications/store/sensitive-fields.ts'
import { listVersions } from '../../../src/core/verifications/store/verifications.ts'
import { readChainAfter } from '../../../src/features/audit/store/trail.ts'
import { findUnansweredAcrossTenants } from '../../../src/features/figures/store/counts.ts'
import { applyRetention } from '../../../src/features/retention/usecases/apply-retention.ts'
import { findLeftAccountsAcrossTenants, listAddressesBefore } from '../../../src/features/staff/store/former-staff.ts'
import {
  findArrivedReceiptsAcrossTenants,
  findUnloggedReceiptsAcrossTenants,
} from '../../../src/features/transparency/store/receipt-places.ts'
import { loadReceipt } from '../../../src/features/transparency/store/receipts.ts'
import type { Statement } from '../../../src/platform/postgres/db.ts'
import { noteEach } from '../../harness/servers/statements.ts'
import { testService } from '../../harness/service.ts'
import { waitUntil } from '../../harness/wait.ts'
import { testWallet } from '../../harness/wallet.ts'
import { create, newCredentials, read, respond, validBody } from '../../wallet/verifications.ts'

const service = await testService()
const { deps, clock } = service
const texts = new Map<string, string>()
noteEach(deps.db, ({ name, text }: Statement) => void texts.set(name, text))

/** The tables that a flow writes; for each index, a statement that would read the whole table without it. */
const HOT = {
  verifications: {
    verifications_pkey: 'load_wallet_verifications',
    verifications_tenant_id_environment_created_at_key: 'list_verifications',
    verifications_by_device: 'list_verifications_of_device',
    verifications_by_expiry: 'find_unanswered_verifications',
    verifications_plain: 'lock_plain_sensitive_fields',
  },
  verification_results: {
    verification_results_pkey: 'load_short_verifications',
    verification_results_forget_at: 'forget_overdue_content',
    verification_results_unrecorded: 'find_unrecorded_forgettings',
  },
  receipts: {
    receipts_pkey: 'load_receipt',
    receipts_without_leaf: 'find_unlogged_receipts',
    receipts_arrived: 'find_arrived_receipts',
  },
  audit_entries: { audit_entries_pkey: 'read_audit_chain_after' },
  audit_details: {
    audit_details_pkey: 'read_audit_chain_after',
    audit_details_by_object: 'erase_audit_details',
    audit_details_with_address: 'list_addresses_on_trail',
    audit_details_of_people: 'find_left_accounts',
  },
  audit_heads: { audit_heads_pkey: 'write_creation_of_one' },
  usage_days: { usage_days_pkey: 'open_free_creations_test_of_one' },
  uncounted_batches: {},
  unlogged_receipts: {},
  receipt_places: { receipt_places_pkey: 'load_receipt' },
  idempotency_keys: {
    idempotency_keys_pkey: 'lease_idempotency_keys',
    idempotency_keys_by_expiry: 'prune_idempotency_keys',
  },
} satisfies Record<string, Record<string, string>>

describe('hot tables', async () => {
  const wallet = await testWallet(service)
  const credentials = newCredentials(wallet)
  const tenantId = await service.tenant({ plan: 'enterprise' })
  const key = await service.key(tenantId)

  const newOne = () => create(service, key)

  async function answer(created: Awaited<ReturnType<typeof newOne>>): Promise<void> {
    const request = await wallet.request(created.wallet_uri)
    assert.equal((await respond(service, created.id, await validBody(wallet, request, { credentials }))).status, 200)
  }

  it('each index is needed by a statement', async () => {
    const realm = { tenantId, environment: 'test' } as const
    const now = new Date(clock.now()).toISOString()
    await service.call('POST', '/v1/verifications', {
      key,
      body: { template: 'identity' },
      headers: { 'idempotency-key': 'hot' },
    })
    const created = await newOne()
    const { id } = created
    await answer(created)
    await read(service, key, id)
    for (const deviceId of [null, 'dev_1']) await listVersions(deps.db, realm, { deviceId, before: now, now, limit: 1 })
    await findUnansweredAcrossTenants(deps.db, { after: { expiresAt: now, id }, until: now, rowsMax: 1 })
    await lockPlainSensitiveFieldsAcrossTenants(deps.db, 1)
    await forgetOverdueAcrossTenants(deps.db, { until: now, at: now, rowsMax: 1 })
    await findUnrecordedAcrossTenants(deps.db)
    await loadReceipt(deps.db, realm, id)
    await findUnloggedReceiptsAcrossTenants(deps.db, 1)
    await findArrivedReceiptsAcrossTenants(deps.db, 10)
    await readChainAfter(deps.db, realm, { after: 0, limit: 1 })
    await listAddressesBefore(deps.db, realm, 1, 1)
    await findLeftAccountsAcrossTenants(deps.db, { before: now, except: null, max: 1 })
    await applyRetention(deps)
    assert.equal((await service.call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
    const indexes = await deps.db.query<{ table: string; index: string }>(
      {
        name: 'test_hot_indexes',
        text: 'select tablename as table, indexname as index from pg_indexes where tablename = any ($1) order by 1, 2',
      },
      [Object.keys(HOT).flatMap((table) => [table, `${table}_singly`])],
    )
    const named = Object.entries(HOT).flatMap(([table, of]) => Object.keys(of).map((index) => ({ table, index })))
    const order = (a: { index: string }, b: { index: string }) => (a.index < b.index ? -1 : 1)
    const found = indexes.map(({ table, index }) => ({ table: table.replace(/_singly$/, ''), index }))
    assert.deepEqual(found.toSorted(order), named.toSorted(order))
    const client = new pg.Client(service.url)
    await client.connect()
    after(() => client.end())
    await client.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off')
    for (const [index, name] of Object.values(HOT).flatMap((of) => Object.entries(of))) {
      const text = texts.get(name) ?? assert.fail(`${name} was not sent`)
      await client.query(`deallocate all; prepare hot as ${text}`)
      const [{ types }] = (await client.query('select parameter_types::text[] as types from pg_prepared_statements'))
        .rows as [{ types: string[] }]
      // A null day would be in no partition.
      const values = types.map((type) => (type === 'integer' ? '0' : 'null'))
      const { rows } = await client.query(`explain execute hot${values.length === 0 ? '' : `(${values.join()})`}`)
      const plan = rows.map((row) => Object.values(row)[0]).join('\n')
      assert.match(plan, new RegExp(`\\b${index}\\b`), `${name} does not use ${index}:\n${plan}`)
    }
  })

  it('are updated in place: an index entry is written for a new row, not for a change', async () => {
    const FLOWS = 20
    // Creates all verifications first, so that pages are as full as inserts leave them.
    const all = []
    for (let i = 0; i < FLOWS; i += 1) all.push(await newOne())
    for (const created of all) await answer(created)
    for (const { id } of all) await read(service, key, id)
    await deps.readNotes.flush()
    const counts = () =>
      deps.db.query<{ name: string; updated: number; inPlace: number }>({
        name: 'test_updates',
        text: `select name, sum(n_tup_upd)::int as updated, sum(n_tup_hot_upd)::int as "inPlace"
               from pg_stat_user_tables, regexp_replace(relname, '_(singly|unplanned|[0-9]+)$', '') as name
               where name in ('verifications', 'verification_results', 'audit_heads', 'usage_days') group by name`,
      })
    // Backends report their counts a moment later.
    await waitUntil('the updates are counted', async () => (await counts()).every(({ updated }) => updated >= FLOWS))
    // A few may find their page full, when an old version on it is still visible to another transaction.
    for (const { name, updated, inPlace } of await counts())
      assert.ok(inPlace >= 0.8 * updated, `${name}: ${inPlace} of ${updated} updates were in place`)
  })
})
