// Tests that a search looks up each result only in the partition of its day, and what searches cost.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { listForStaff, type StaffSearch } from '../../src/features/dashboard/store/for-staff.ts'
import { makeDay } from '../../src/features/retention/store/day-partitions.ts'
import { DAY_MS, dayAt } from '../../src/platform/postgres/days.ts'
import type { Tx } from '../../src/platform/postgres/db.ts'
import { newVerificationId } from '../../src/platform/verification-id.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'

const service = await testService()
const { deps, clock } = service

const DAYS = 20
const ROWS = 200

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Loops': number
  readonly Plans?: readonly PlanNode[]
}

const loopsOn = (table: string, node: PlanNode): number =>
  (node['Relation Name']?.startsWith(table) ? node['Actual Loops'] : 0) +
  (node.Plans ?? []).reduce((sum, plan) => sum + loopsOn(table, plan), 0)

/** Copies a verification to earlier times, as failed ones whose wallet declined. */
async function fill(tenantId: string, id: string): Promise<void> {
  const today = dayAt(clock.now())
  for (let day = today - DAYS; day <= today + 1; day += 1) await deps.db.transaction((tx) => makeDay(tx, day))
  const times = Array.from({ length: ROWS }, (_, i) => clock.now() - (i + 1) * (DAYS - 1) * (DAY_MS / ROWS))
  const [{ columns } = { columns: '' }] = await deps.db.query<{ columns: string }>({
    name: 'test_columns',
    text: `select string_agg(attname, ',') as columns from pg_attribute where attrelid = 'verifications'::regclass
             and attnum > 0 and not attisdropped and attname not in ('id', 'created_at', 'day', 'status', 'responded_at')`,
  })
  await deps.db.query(
    {
      name: 'test_fill',
      text: `with filled as (
               insert into verifications (id, created_at, day, status, responded_at, ${columns})
               select g.id, g.at, g.day, 'failed', g.at, ${columns}
               from verifications v, unnest($2::text[], $3::timestamptz[], $4::int[]) g (id, at, day) where v.id = $1
               returning id, tenant_id, environment, day)
             insert into verification_results (verification_id, tenant_id, environment, day, sealed, error_code, channel)
             select id, tenant_id, environment, day, '\\x00', 'wallet_declined', 'qr' from filled`,
    },
    [
      id,
      times.map((nowMs) => newVerificationId(deps.derivedKeys, deps.random, { tenantId, nowMs })),
      times.map((at) => new Date(at).toISOString()),
      times.map(dayAt),
    ],
  )
}

test('a search by reason or channel looks up each result in its day alone', async () => {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const created = await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
  await fill(tenantId, created.json.id)
  const client = new pg.Client(service.url)
  await client.connect()
  after(() => client.end())
  const plans: PlanNode[] = []
  const explaining: Tx = {
    sealer: deps.db.sealer,
    async query(statement, values) {
      const [row] = (await client.query(`explain (analyze, format json) ${statement.text}`, [...(values ?? [])])).rows
      plans.push(row['QUERY PLAN'][0].Plan)
      return deps.db.query(statement, values)
    },
  }
  const search: StaffSearch = {
    from: null,
    status: null,
    template: null,
    reason: null,
    channel: null,
    actor: null,
    text: null,
  }
  const now = new Date(clock.now() + 1_000).toISOString()
  const realm = { tenantId, environment: 'test' } as const
  const page = { ...search, before: now, limit: 50, window: 10_000, now }
  const lookupsOf = async (filter: Partial<StaffSearch>, found: number) => {
    plans.length = 0
    const { rows } = await listForStaff(explaining, realm, { ...page, ...filter })
    assert.equal(rows.length, found)
    return loopsOn('verification_results', plans[0] ?? assert.fail('no plan'))
  }
  // A result is in the partition of its day, or among those that are deleted one by one.
  assert.ok((await lookupsOf({ reason: 'credential_expired' }, 0)) <= 2 * ROWS)
  assert.ok((await lookupsOf({ channel: 'dc_api' }, 0)) <= 2 * ROWS)
  assert.ok((await lookupsOf({ reason: 'wallet_declined' }, 50)) <= 2 * (50 + 50))
  assert.ok((await lookupsOf({}, 50)) <= 2 * 50)
})

test('a search costs more than a list, and one person leaves the rest of the rate to colleagues and keys', async () => {
  const rates = { ...deps.config.rates, key: { perSecond: 1, burst: 62 }, tenant: { perSecond: 2, burst: 200 } }
  const small = await testService({ rates })
  const tenantId = await small.tenant()
  const key = await small.key(tenantId)
  const [viewer, colleague] = [await person(small, tenantId, 'viewer'), await person(small, tenantId, 'viewer')]
  const stranger = await person(small, await small.tenant(), 'viewer')
  const list = async (by: typeof viewer, query: string, headers = {}) =>
    (await by.call('GET', `@/verifications?${query}`, { headers })).status
  assert.deepEqual([await list(viewer, 'channel=qr'), await list(viewer, 'reason=wallet_declined')], [200, 200])
  const refused = await viewer.call('GET', '@/verifications')
  assertRefused(refused, 429, 'rate_limit_exceeded')
  assert.equal(refused.headers['retry-after'], '5')
  assert.equal((await viewer.call('GET', '/me')).status, 200, 'a person can still end sessions')
  // Each of these costs 16; all staff of the tenant have 100.
  assert.deepEqual(
    [await list(colleague, '', { 'vidimus-search': 'x' }), await list(colleague, 'status=failed')],
    [200, 200],
  )
  assert.equal(await list(colleague, 'template=age_over_18'), 429)
  small.clock.advance(1_000)
  assert.equal(await list(colleague, ''), 200)
  assert.equal(await list(stranger, 'channel=qr'), 200)
  const long = await stranger.call('POST', '@/branding/preview', { body: { name: 'x'.repeat(64 * 1024) } })
  assert.equal(long.headers['ratelimit-remaining'], String(62 - 31 - 5))
  const none = await stranger.call('GET', '@/verifications/ver_x/request')
  assert.equal(none.headers['ratelimit-remaining'], String(62 - 31 - 5 - 5))
  const start = await stranger.call('GET', '@/overview')
  assert.equal(start.headers['ratelimit-remaining'], String(62 - 31 - 5 - 5 - 10))
  assert.equal((await small.call('GET', '/v1/usage', { key })).status, 200)
})
