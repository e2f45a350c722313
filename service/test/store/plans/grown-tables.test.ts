// Statements of a flow, with plans from small tables that have grown since: they read no more rows than before.
// The statements come from real flows, so a new one is checked automatically.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { untilDue } from '../../../src/features/webhooks/usecases/deliver-webhooks.ts'
import { runJob } from '../../harness/jobs.ts'
import { type CountedStatement, countRowsRead } from '../../harness/servers/rows-read.ts'
import { testService } from '../../harness/service.ts'
import { testWallet } from '../../harness/wallet.ts'
import { deliverAllDue, LOOPBACK, startReceiver } from '../../harness/webhooks.ts'
import { newCredentials, respond, validBody } from '../../wallet/verifications.ts'

const AT_ONCE = 4
/** PostgreSQL tries five plans on a connection before it keeps one. */
const PLANS_TRIED = 5
const ROUNDS = 7
/** The number of rows that each table gets. */
const ROWS = 3_000
/** Limit for a statement for at most `AT_ONCE` verifications. */
const READ_MAX = 100
/** Statements that run once a minute for all tenants, and read a few rows of each. */
const OF_EACH_TENANT: Readonly<Record<string, number>> = { find_grown_chains: 4 }

/** Flows do not write to them, but look up rows in them. */
const ALSO_GROWN = ['tenants', 'api_keys']
/** A queue is read when it is emptied. */
const QUEUES = ['webhook_due_times', 'uncounted_endings', 'uncounted_batches', 'unlogged_receipts']

// One connection, so that all statements use its plans.
const service = await testService({}, LOOPBACK, { poolMax: 1 })
const { deps } = service
const receiver = await startReceiver()
const wallet = await testWallet(service)
const credentials = newCredentials(wallet)
const key = await service.key(await service.tenant({ plan: 'enterprise' }))

let keys = 0
const KINDS = {
  plain: () => ({ body: {} }),
  idempotent: () => ({ body: {}, headers: { 'idempotency-key': `grown-${keys++}` } }),
  webhook: () => ({ body: { webhook_url: receiver.url } }),
}

/** Creates, fetches, answers, polls and reads `count` verifications of each kind at once; then runs the jobs that follow. */
async function sendFlows(count: number): Promise<void> {
  for (const kind of Object.values(KINDS)) {
    const created = await Promise.all(
      Array.from({ length: count }, async () => {
        const { body, ...rest } = kind()
        const call = { key, body: { template: 'identity', ...body }, ...rest }
        const answer = await service.call('POST', '/v1/verifications', call)
        assert.equal(answer.status, 201, answer.text)
        return answer.json
      }),
    )
    const requests = await Promise.all(created.map((one) => wallet.request(one.wallet_uri)))
    const bodies = await Promise.all(requests.map((request) => validBody(wallet, request, { credentials })))
    const answers = await Promise.all(created.map(({ id }, i) => respond(service, id, bodies[i] ?? '')))
    const polls = await Promise.all(created.map(({ id }) => service.call('GET', `/v1/verifications/${id}/status`)))
    const reads = await Promise.all(created.map(({ id }) => service.call('GET', `/v1/verifications/${id}`, { key })))
    for (const { status, text } of [...answers, ...polls, ...reads]) assert.equal(status, 200, text)
    await untilDue(deps)
    await deliverAllDue(service)
    await deps.fetchNotes.flush()
    await deps.readNotes.flush()
    await deps.keys.writeUses()
    for (const job of ['count-endings', 'keep-log']) await runJob(deps, job)
  }
}

it('a statement of a flow reads no more when its tables have grown', async () => {
  await runJob(deps, 'make-days')
  let sent: CountedStatement[] = []
  countRowsRead(deps.db, (one) => void sent.push(one))
  await sendFlows(1)
  await deps.db.query({ name: 'test_analyze_all', text: 'analyze' })
  for (const count of [1, AT_ONCE]) for (let i = 0; i < ROUNDS; i += 1) await sendFlows(count)
  const before = Map.groupBy(sent, ({ name }) => name)
  await grow(new Set([...sent.flatMap(({ written }) => written), ...ALSO_GROWN]).difference(new Set(QUEUES)))
  sent = []
  for (const count of [1, AT_ONCE]) await sendFlows(count)
  const after = Map.groupBy(sent, ({ name }) => name)
  for (const name of [
    'create_at_once_test',
    'end_at_once',
    'load_short_verifications',
    'end_attempts',
    'note_queued_receipts',
  ])
    assert.ok(after.has(name), `${name} was not sent`)
  const problems = [...after].flatMap(([name, all]) => {
    const max = READ_MAX + ROWS * (OF_EACH_TENANT[name] ?? 0)
    const most = Math.max(...all.map(({ read }) => read))
    const isPlanned = all.every(({ isReplanned }) => isReplanned) || (before.get(name)?.length ?? 0) > PLANS_TRIED
    return [
      ...(isPlanned ? [] : [`${name} was sent too seldom for a kept plan: send it here more often`]),
      ...(most <= max ? [] : [`${name} read ${most} rows`]),
    ]
  })
  assert.deepEqual(problems, [])
})

/** Copies the rows of these tables under other keys. */
async function grow(tables: ReadonlySet<string>): Promise<void> {
  const [, database = '', host = ''] = /@\/(\w+)\?host=(.+)$/.exec(service.url) ?? []
  const admin = new pg.Client({ host: decodeURIComponent(host), user: 'postgres', database })
  await admin.connect()
  try {
    // Turns off foreign keys and triggers.
    await admin.query('set session_replication_role = replica')
    for (const table of tables) {
      const { rows } = await admin.query<{ name: string; value: string; isKeyed: boolean }>(COLUMNS, [table])
      // A table with at most one row does not grow.
      if (rows.some(({ isKeyed }) => !isKeyed)) continue
      const { rowCount } = await admin.query(
        `insert into ${table} (${rows.map(({ name }) => name).join()}) overriding system value
         select ${rows.map(({ value }) => value).join()}
         from ${table} t, generate_series(1, (select $1::int / count(*) + 1 from ${table})::int) n`,
        [ROWS],
      )
      assert.ok((rowCount ?? 0) >= ROWS, table)
    }
  } finally {
    await admin.end()
  }
}

/** The columns of a table, with their values in copy `n` of a row. In each unique index the last free column changes. */
const COLUMNS = `
  with uniques as (
    select (select a.attnum from unnest(i.indkey::int[]) with ordinality as k (attnum, position)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
      where format_type(a.atttypid, null) in ('text', 'bytea', 'bigint', 'integer', 'date', 'timestamp with time zone')
        and not (a.atttypid = 'text'::regtype and exists (
          select from pg_constraint c where c.conrelid = i.indrelid and c.contype = 'c' and a.attnum = any (c.conkey)))
      order by k.position desc limit 1) as attnum
    from pg_index i where i.indrelid = $1::regclass and i.indisunique)
  select a.attname as name, not exists (select from uniques where attnum is null) as "isKeyed",
    format(case when a.attnum not in (select attnum from uniques) then 't.%I' else case format_type(a.atttypid, null)
      when 'text' then $$t.%I || '.' || n$$
      when 'bytea' then 'sha256(t.%I || int4send(n))'
      when 'date' then 't.%I - n'
      when 'timestamp with time zone' then $$t.%I - n * interval '1 hour'$$
      else 't.%I + n * 10000' end end, a.attname) as value
  from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  order by a.attnum`
