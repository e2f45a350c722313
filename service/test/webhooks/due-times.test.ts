// Tests that due times of realms never delay a delivery, with any writer and any concurrent change.

import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { replaceDueTimes } from '../../src/features/webhooks/store/due-times.ts'
import type { Db, Tx } from '../../src/platform/postgres/db.ts'
import { MIGRATIONS_DIRECTORY, migrate } from '../../src/platform/postgres/migrate.ts'
import { lateRealms, readDueTimes } from '../harness/due-times.ts'
import { runJob } from '../harness/jobs.ts'
import { testDatabase } from '../harness/servers/database.ts'
import { testService } from '../harness/service.ts'
import { within } from '../harness/wait.ts'
import { ALL_DUE, complete, declined, deliverDue, LOOPBACK, startReceiver, takeDue } from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const { clock, deps } = service
const receiver = await startReceiver()
const now = () => new Date(clock.now()).toISOString()

async function realm() {
  const tenantId = await service.tenant()
  return { at: { tenantId, environment: 'test' as const }, key: await service.key(tenantId) }
}

interface Time {
  readonly id: number
  readonly due_at: string
}

const timesOf = (tenantId: string) =>
  deps.db.query<Time>(
    { name: 'test_times_of', text: 'select id, due_at from webhook_due_times where tenant_id = $1 order by id' },
    [tenantId],
  )

/** Repeats the event of a verification's first delivery like the release before, which does not know due times. */
const enqueueAsBefore = (tx: Tx, tenantId: string, type: string) =>
  tx.query(
    {
      name: 'test_enqueue_as_before',
      text: `insert into webhook_deliveries (id, tenant_id, environment, verification_id, type, created_at, next_at)
             select 'dlv_' || md5($1 || $2), tenant_id, environment, id, $2, $3, $3 from verifications where tenant_id = $1 limit 1`,
    },
    [tenantId, type, now()],
  )

test('a realm with frequent webhooks has one due time, which is not written again', async () => {
  const { at, key } = await realm()
  await declined(service, { key, url: receiver.url })
  const [first, ...others] = await timesOf(at.tenantId)
  assert.deepEqual(others, [])
  for (let nth = 0; nth < 3; nth += 1) {
    assert.equal(await deliverDue(service), 1)
    clock.advance(100)
    await declined(service, { key, url: receiver.url })
    assert.deepEqual(await timesOf(at.tenantId), [first])
  }
  await deliverDue(service)
  clock.advance(2_000)
  await deliverDue(service)
  assert.deepEqual(await timesOf(at.tenantId), [], 'nothing is pending')
})

test('a delivery that is not committed yet keeps the due time it uses', async () => {
  const { at, key } = await realm()
  await declined(service, { key, url: receiver.url })
  await deliverDue(service)
  await deps.db.transaction(async (tx) => {
    await enqueueAsBefore(tx, at.tenantId, 'test.uncommitted')
    clock.advance(5_000)
    assert.equal(await within('a lease does not wait', deliverDue(service)), 0)
    assert.equal((await timesOf(at.tenantId)).length, 1)
  })
  assert.deepEqual(lateRealms(await readDueTimes(deps.db)), [])
  assert.equal(await deliverDue(service), 1)
})

test('while due times are replaced a delivery does not wait, and is due immediately', async () => {
  const { at, key } = await realm()
  await declined(service, { key, url: receiver.url })
  await deliverDue(service)
  const stopped = Promise.withResolvers<void>()
  const going = Promise.withResolvers<void>()
  clock.advance(5_000)
  const replacing = replaceDueTimes(stoppedBetween(deps.db, stopped, going.promise), [at], now())
  await within('the times are locked', stopped.promise)
  await within('the delivery is written', enqueueAsBefore(deps.db, at.tenantId, 'test.meanwhile'))
  going.resolve()
  await replacing
  assert.deepEqual(lateRealms(await readDueTimes(deps.db)), [])
  assert.equal(await deliverDue(service), 1)
})

test('a retry that is due before its lease would have expired is sent in time', async () => {
  const { at, key } = await realm()
  receiver.answer = () => ({ status: 500 })
  await declined(service, { key, url: receiver.url })
  const [leased] = await takeDue(deps, ALL_DUE)
  clock.advance(5_000)
  assert.equal((await takeDue(deps, ALL_DUE)).length, 0)
  const [untilLeaseEnds] = await timesOf(at.tenantId)
  await complete(deps, leased)
  receiver.answer = () => ({ status: 200 })
  const [, retry] = await timesOf(at.tenantId)
  assert.ok(retry !== undefined && untilLeaseEnds !== undefined && retry.due_at < untilLeaseEnds.due_at)
  clock.advance(Date.parse(retry.due_at) + 1 - clock.now())
  assert.equal(await deliverDue(service), 1)
})

test('a due time that is missing or too late is added within a minute, and the log says so', async () => {
  const { at, key } = await realm()
  await declined(service, { key, url: receiver.url })
  for (const damage of [
    'delete from webhook_due_times where tenant_id = $1',
    `update webhook_due_times set due_at = due_at + interval '1 day' where tenant_id = $1`,
  ]) {
    await deps.db.query({ name: `test_damage_${damage.slice(0, 6)}`, text: damage }, [at.tenantId])
    assert.equal((await takeDue(deps, ALL_DUE)).length, 0)
    const before = service.logged.length
    await runJob(deps, 'rebuild-due-times')
    await runJob(deps, 'rebuild-due-times')
    const warnings = service.logged.slice(before).filter((line) => line.includes('would not have been sent in time'))
    assert.equal(warnings.length, 1, 'the second run found nothing')
    assert.deepEqual(lateRealms(await readDueTimes(deps.db)), [])
    assert.equal((await takeDue(deps, ALL_DUE)).length, 1)
    clock.advance(45_001)
  }
  await deliverDue(service)
})

test('deliveries from before due times existed have one', async (t) => {
  const { db, connection } = await testDatabase(t, { migrated: false })
  const before = await mkdtemp(join(tmpdir(), 'vidimus-migrations-'))
  t.after(() => rm(before, { recursive: true }))
  const files = (await readdir(MIGRATIONS_DIRECTORY)).filter((file) => file.endsWith('.sql')).sort()
  const own = files.findIndex((file) => file.endsWith('_webhook_due_times.sql'))
  for (const file of files.slice(0, own)) await copyFile(join(MIGRATIONS_DIRECTORY, file), join(before, file))
  await migrate({ connection, directory: before })
  await db.query({
    name: 'test_tenants_before',
    text: `insert into tenants (id, name, plan, created_at) select 'ten_' || n, 'Shop', 'free', now() from generate_series(1, 2) n`,
  })
  await db.query({
    name: 'test_pending_before',
    text: `with v as (
             insert into verifications (id, tenant_id, environment, created_at, expires_at, status, template, webhook_url, actor_type,
               actor_id, nonce, state, client_id, response_mode, responded_at)
             select 'ver_' || n, 'ten_' || 1 + n % 2, 'test', now() + n * interval '1 s', now(), 'failed', 'age_over_18',
               'https://shop.example/hook', 'api_key', 'key_1', 'n', 's', 'c', 'direct_post.jwt', now() from generate_series(1, 6) n
             returning id, tenant_id, created_at)
           insert into webhook_deliveries (id, tenant_id, environment, verification_id, type, created_at, next_at, state)
           select 'dlv_' || id, tenant_id, 'test', id, 'verification.failed', created_at, created_at,
             case when id = 'ver_1' then 'delivered' else 'pending' end from v`,
  })
  await migrate({ connection })
  const realms = await readDueTimes(db)
  assert.equal(realms.length, 2)
  for (const { due, kept } of realms) assert.equal(kept, due)
})

/** The same store, but its transactions stop between their statements. */
function stoppedBetween(db: Db, stopped: PromiseWithResolvers<void>, going: Promise<void>): Db {
  return {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          sealer: tx.sealer,
          query: (statement, values) => tx.query(statement, values),
          async finish(statement, values) {
            stopped.resolve()
            await going
            return tx.finish(statement, values)
          },
        }),
      ),
  }
}
