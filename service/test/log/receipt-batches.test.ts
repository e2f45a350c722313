// Tests both forms in which receipts are in the log: each enters once, also during the switch.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { receiptLeaf } from '../../src/features/transparency/domain/log/leaves.ts'
import { verifyProof } from '../../src/features/transparency/domain/log/proof-file.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { migrate } from '../../src/platform/postgres/migrate.ts'
import { runJob } from '../harness/jobs.ts'
import { logKey, mirrorLog } from '../harness/log/log-mirror.ts'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { isInForce, olderProcess, withoutLatePart } from '../harness/servers/late-parts.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { type TestService, testService } from '../harness/service.ts'
import { once, waitUntil } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'

async function opened(service: TestService) {
  const wallet = await testWallet(service)
  const tenant = await service.tenant()
  const key = await service.key(tenant)
  const ids: string[] = []
  /** Ends `count` verifications at once. */
  const end = async (count = 1) => {
    const created = await Promise.all(Array.from({ length: count }, () => create(service, key)))
    await Promise.all(created.map((one) => wallet.present(one.wallet_uri, 'declined')))
    ids.push(...created.map(({ id }) => id))
  }
  const get = async (id: string, path: string) => service.call('GET', `/v1/verifications/${id}/${path}`, { key })
  /** Each receipt is in the log, in one place, and its proof verifies with public keys alone. */
  const assertLogged = async () => {
    const { leaves } = await mirrorLog(service)
    for (const id of ids) {
      const leaf = receiptLeaf((await get(id, 'receipt')).text)
      assert.equal(leaves.filter((one) => one.equals(leaf)).length, 1, `${id} is in the log once`)
      const { status, text } = await get(id, 'receipt.tlog-proof')
      assert.equal(status, 200, text)
      const verdict = verifyProof(text, leaf, { log: await logKey(service), witnesses: [] })
      assert.equal(verdict.outcome, 'included')
    }
  }
  return { tenant, key, end, ids, assertLogged }
}

interface Forms {
  readonly single: number
  readonly batched: number
  readonly queued: number
  readonly placed: number
}

async function formsOf({ deps }: TestService): Promise<Forms> {
  const [row] = await deps.db.query<Forms>({
    name: 'test_forms',
    text: `select (select count(*)::int from receipts where seq is null) as single,
                  (select count(*)::int from receipts where seq is not null) as batched,
                  (select coalesce(sum(cardinality(seqs)), 0)::int from unlogged_receipts) as queued,
                  (select coalesce(sum(cardinality(seqs)), 0)::int from receipt_places) as placed`,
  })
  return row ?? assert.fail('no row')
}

const switchForm = async ({ deps }: TestService) => {
  await migrate({ connection: deps.db.connection })
  assert.equal(await isInForce(deps.db), true)
}

const grown = async ({ deps }: TestService): Promise<number> => {
  const growth = await growLog(deps)
  return growth.outcome === 'grown' ? growth.real : assert.fail(growth.why)
}

test('receipts of both forms enter the log once, before, across and after the switch, and verify offline', async () => {
  const service = await testService()
  const { end, ids, assertLogged } = await opened(service)
  await withoutLatePart(service.deps.db)
  await end(3)
  await grown(service)
  // These receipts are queued while the form changes.
  await end(2)
  assert.deepEqual(await formsOf(service), { single: 5, batched: 0, queued: 0, placed: 0 })
  await switchForm(service)
  await end(4)
  assert.deepEqual(await formsOf(service), { single: 5, batched: 4, queued: 4, placed: 0 })
  await grown(service)
  assert.deepEqual(await formsOf(service), { single: 5, batched: 4, queued: 0, placed: 4 })
  await assertLogged()
  // A process may still write the old form, in a statement that began before the switch. It is logged anyway.
  await withoutLatePart(service.deps.db)
  await end()
  await switchForm(service)
  await end()
  await grown(service)
  await grown(service)
  assert.deepEqual(await formsOf(service), { single: 6, batched: 5, queued: 0, placed: 5 })
  await assertLogged()
  assert.equal(ids.length, 11)
})

test('verifications end and the log grows while the form changes; each enters once', async () => {
  const service = await testService()
  const { end, ids, assertLogged } = await opened(service)
  for (let round = 0; round < 3; round += 1) {
    await withoutLatePart(service.deps.db)
    await Promise.all([end(4), switchForm(service), grown(service), end(4), grown(service)])
  }
  await end()
  await grown(service)
  const { single, batched, queued } = await formsOf(service)
  assert.deepEqual([single + batched, queued], [ids.length, 0])
  await assertLogged()
})

test('receipts of one statement are one row in the queue, and receipts that enter together are one row of places', async () => {
  const service = await testService()
  const { end, assertLogged } = await opened(service)
  await end(8)
  const rows = async (table: string) =>
    (await service.deps.db.query({ name: `test_rows_${table}`, text: `select from ${table}` })).length
  const queued = await rows('unlogged_receipts')
  assert.ok(queued < 8, `${queued} rows`)
  await grown(service)
  assert.deepEqual([await rows('unlogged_receipts'), await rows('receipt_places')], [0, 1])
  await assertLogged()
})

/** The statement of the release before when its log grows, as far as it affects receipts. */
const OLD_FIND = 'select r.verification_id as id from receipts r where r.leaf_index is null and r.arrived is not true'
const OLD_NOTE = `update receipts r set leaf_index = g.leaf_index from unnest($1::text[], $2::bigint[]) as g (id, leaf_index)
                  where r.verification_id = g.id and r.verification_id = any ($1)`

test('a process of the release before that still runs after the switch logs nothing twice', async () => {
  const service = await testService()
  const { end, assertLogged } = await opened(service)
  await end(2)
  await grown(service)
  await end()
  const older = await olderProcess(service.url)
  try {
    const { rows } = await older.query<{ id: string }>(OLD_FIND)
    assert.equal(rows.length, 3, 'the earlier release takes receipts that are in the log for new ones')
    await older.query('begin')
    const places = [rows.map(({ id }) => id), rows.map((_, i) => 1_000 + i)]
    await assert.rejects(older.query(OLD_NOTE, places), /receipts_place_once/)
    await older.query('rollback')
  } finally {
    await older.end()
  }
  await grown(service)
  await assertLogged()
})

test('unsigned receipts stay in the queue, and enter when they are signed', async () => {
  const service = await testService()
  const { end, ids, assertLogged } = await opened(service)
  await end(3)
  const [id = ''] = ids
  const [{ jws } = { jws: '' }] = await service.deps.db.query<{ jws: string }>(
    {
      name: 'test_unsign',
      text: `update receipts r set jws = regexp_replace(r.jws, '[^.]*$', '') from receipts was
             where r.verification_id = $1 and was.verification_id = $1 returning was.jws`,
    },
    [id],
  )
  await grown(service)
  const between = await formsOf(service)
  assert.deepEqual([between.queued, between.placed], [1, 2])
  await grown(service)
  assert.deepEqual(await formsOf(service), between)
  await service.deps.db.query({ name: 'test_sign', text: 'update receipts set jws = $2 where verification_id = $1' }, [
    id,
    jws,
  ])
  await grown(service)
  const after = await formsOf(service)
  assert.deepEqual([after.queued, after.placed], [0, 3])
  await assertLogged()
})

test('receipts beyond one batch of the log wait in the queue, and each enters once', async () => {
  const service = await testService()
  const { end, assertLogged } = await opened(service)
  await end()
  const MORE = 1_100
  await service.deps.db.query(
    {
      name: 'test_more',
      // The receipts belong to a tenant whose chain has no head, so that no job checks the chain.
      text: `with more as (
               insert into receipts (verification_id, tenant_id, environment, jws, seq)
               select 'ver_' || md5(n::text), 'ten_more', r.environment, r.jws || n, n
               from receipts r, generate_series(1, $1::int) n returning *
             ), entries as (
               insert into audit_entries (tenant_id, environment, seq, object_id, bytes, hash)
               select tenant_id, environment, seq, verification_id, '', '' from more)
             insert into unlogged_receipts (tenant_id, environment, seqs)
             select tenant_id, environment, array_agg(seq) from more group by tenant_id, environment, seq / 50`,
    },
    [MORE],
  )
  await grown(service)
  assert.deepEqual(await formsOf(service), { single: 0, batched: MORE + 1, queued: 0, placed: MORE + 1 })
  const [places] = await service.deps.db.query<{ leaves: number; different: number }>({
    name: 'test_places',
    text: 'select count(*)::int as leaves, count(distinct leaf)::int as different from receipt_places, unnest(leaves) as leaf',
  })
  assert.deepEqual(places, { leaves: MORE + 1, different: MORE + 1 })
  await assertLogged()
})

test('kill -9 while both forms enter the log stores nothing, and all enter once afterwards', async () => {
  const service = await testService()
  const { end, assertLogged } = await opened(service)
  await withoutLatePart(service.deps.db)
  await end(2)
  await switchForm(service)
  await end(2)
  const before = await formsOf(service)
  // The trigger waits for the test's lock after the places are written and before the head is.
  const wait = `create function wait_for_test() returns trigger language plpgsql as
                $$ begin perform pg_advisory_xact_lock(4711); return new; end $$`
  await service.deps.db.query({ name: 'test_wait_function', text: wait })
  await service.deps.db.query({
    name: 'test_wait_trigger',
    text: 'create trigger wait_for_test before update on log_heads for each row execute function wait_for_test()',
  })
  await service.deps.db.transaction(async (tx) => {
    await tx.query({ name: 'test_hold', text: 'select pg_advisory_xact_lock(4711)' })
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('../harness/children/log-child.ts', import.meta.url))],
      {
        env: {
          ...BARE_ENVIRONMENT,
          DATABASE_URL: service.url,
          VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
          VIDIMUS_BASE_URL: 'https://verify.example.com',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    await waitUntil('the log waits for the lock', async () => {
      const text = `select 1 as one from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`
      return (await service.deps.db.query({ name: 'test_waiting', text })).length > 0
    })
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  assert.deepEqual(await formsOf(service), before)
  // The head of the chain (two leaves), its first entry if it is new, and four receipts.
  assert.ok((await grown(service)) >= 6)
  await assertLogged()
})

test('endings of both forms are counted once', async () => {
  const service = await testService()
  const { deps } = service
  const { end } = await opened(service)
  await withoutLatePart(deps.db)
  await end(2)
  await switchForm(service)
  await end(3)
  for (let i = 0; i < 2; i += 1) await Promise.all([runJob(deps, 'count-endings'), runJob(deps, 'count-endings')])
  const [counted] = await deps.db.query<{ failed: number; left: number }>({
    name: 'test_counted',
    text: `select (select sum(count)::int from verification_counts where kind = 'all' and step = 'day' and outcome = 'failed') as failed,
                  (select count(*)::int from uncounted_endings) + (select count(*)::int from uncounted_batches) as left`,
  })
  assert.deepEqual(counted, { failed: 5, left: 0 })
})
