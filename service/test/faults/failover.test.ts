// Tests a failover to a real standby: nothing acknowledged is lost, and callers get 503 until it is done.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { SCOPES } from '../../../wire/values/keys.ts'
import { openWorld } from '../../src/assemble.ts'
import { createKey } from '../../src/core/tenants/usecases/manage-keys.ts'
import { createTenant } from '../../src/core/tenants/usecases/manage-tenants.ts'
import { buildApp } from '../../src/http-server.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { openDb } from '../../src/platform/postgres/db.ts'
import { connectionsOf } from '../../src/platform/postgres/hosts.ts'
import { MIGRATIONS_DIRECTORY, migrate } from '../../src/platform/postgres/migrate.ts'
import { testSealer } from '../harness/servers/master-key.ts'
import { ownServers } from '../harness/servers/own-postgres.ts'
import { GENEROUS, OPERATOR } from '../harness/service.ts'
import { once, waitUntil } from '../harness/wait.ts'
import { type StallingService, serviceWithStalledCommits } from './stalled-commits.ts'

const servers = await ownServers()
after(() => servers.close())
// A commit is acknowledged only when both servers have it, so that the loss of one server loses no acknowledged data.
const primary = await servers.start({ synchronous_standby_names: '*' })
const standby = await servers.startStandby(primary)

const url = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres?target_session_attrs=read-write`
const masterKey = randomBytes(32).toString('base64')
const config = { ...readConfig({ DATABASE_URL: url, VIDIMUS_MASTER_KEY: masterKey }), ...GENEROUS }

test('a failover under load answers 503 with Retry-After until it is done; no acknowledged data is lost', async (t) => {
  const world = await openWorld({ ...config, logLevel: 'silent' as const }, () => undefined)
  const app = buildApp(world.deps)
  const heard: string[] = []
  let gaps = 0
  await world.deps.db.listen(
    'failover_test',
    (payload) => heard.push(payload),
    () => {
      gaps += 1
    },
  )
  try {
    await app.listen({ host: '127.0.0.1', port: 0 })
    const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
    const key = await keyOf(world.deps)
    const create = async () => {
      const answer = await fetch(`${base}/v1/verifications`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ template: 'age_over_18', purpose: 'Failover' }),
      })
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() }
    }
    const acknowledged: string[] = []
    const statuses = new Map<number, number>()
    let isOver = false
    const load = Array.from({ length: 8 }, async () => {
      // bounded: by the test, which ends the load.
      while (!isOver) {
        const { status, retryAfter, body } = await create()
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === 201) acknowledged.push(body.id)
        else assert.deepEqual([status, retryAfter !== null], [503, true], JSON.stringify(body))
      }
    })
    const many = async (count: number) => {
      const from = acknowledged.length
      const isEnough = () => acknowledged.length >= from + count
      await Promise.race([...load, waitUntil(`${count} more are acknowledged`, isEnough)])
    }
    await many(50)
    await primary.kill()
    const readyz = () => fetch(`${base}/readyz`).then(({ status }) => status)
    await waitUntil('the service says that it is not ready', async () => (await readyz()) === 503)
    await standby.ask('select pg_promote()')
    const promotedAt = performance.now()
    await waitUntil('the service is ready again', async () => (await readyz()) === 200)
    const tookMs = Math.round(performance.now() - promotedAt)
    await many(50)
    isOver = true
    await Promise.all(load)
    t.diagnostic(`ready ${tookMs} ms after the promotion; answers ${JSON.stringify([...statuses])}`)
    // Takes five seconds on an idle machine.
    assert.ok(tookMs < 60_000, `${tookMs} ms`)
    assert.ok((statuses.get(503) ?? 0) > 0)
    for (const id of acknowledged) {
      const { status } = await fetch(`${base}/v1/verifications/${id}`, { headers: { authorization: `Bearer ${key}` } })
      assert.equal(status, 200)
    }
    // Listeners get notifications of the new primary, and a report that they missed some.
    await waitUntil('a notification of the new primary arrives', async () => {
      await standby.ask(`select pg_notify('failover_test', 'again')`)
      return heard.length > 0
    })
    assert.ok(gaps >= 2)
  } finally {
    await app.close()
    await world.close()
  }
})

test('a server that stops taking writes is unavailable, not broken, and is used again once it takes them', async () => {
  await promoted()
  const db = await openDb({ connection: { url: standby.url }, sealer: testSealer(), poolMax: 4 })
  try {
    const write = { name: 'write', text: 'insert into failover_test values (1) returning n' }
    await standby.ask('create table failover_test (n int)')
    await Promise.all([1, 2, 3, 4].map(() => db.query({ name: 'sleep', text: 'select pg_sleep(0.05)' })))
    assert.equal(db.stats().idle, 4)
    // Open sessions become read-only, too, as on a primary that steps down.
    await standby.ask('alter system set default_transaction_read_only = on')
    await standby.ask('select pg_reload_conf()')
    const refused = { name: 'StoreUnavailable', message: /takes no writes|no connection to the store/ }
    await waitUntil('a write is refused', () =>
      db.query(write).then(
        () => false,
        () => true,
      ),
    )
    await assert.rejects(db.query(write), refused)
    // After such a report the pool also closes the connections that did not report it.
    await assert.rejects(db.query({ name: 'read', text: 'select 1 as one' }), refused)
    assert.equal(db.stats().total, 0)
    await standby.ask('alter system reset default_transaction_read_only')
    await standby.ask('select pg_reload_conf()')
    await waitUntil('a write is taken', () =>
      db.query(write).then(
        () => true,
        () => false,
      ),
    )
  } finally {
    await db.close()
  }
})

test('a plan from before a migration fails one query, and no connection keeps it', async () => {
  await promoted()
  const db = await openDb({ connection: { url: standby.url }, sealer: testSealer(), poolMax: 1 })
  try {
    const read = { name: 'read_all', text: 'select * from changing' }
    await standby.ask('create table changing (a int); insert into changing values (1)')
    assert.deepEqual(await db.query(read), [{ a: 1 }])
    await standby.ask('alter table changing add column b int')
    await assert.rejects(db.query(read), { name: 'StoreUnavailable', message: /0A000/ })
    assert.deepEqual(await db.query(read), [{ a: 1, b: null }])
  } finally {
    await db.close()
  }
})

test('a migration lets traffic pass while pg_dump locks every table, and finishes after that', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'vidimus-migrations-'))
  t.after(() => rm(directory, { recursive: true }))
  await cp(join(MIGRATIONS_DIRECTORY, '0000_migrations.sql'), join(directory, '0000_migrations.sql'))
  await writeFile(join(directory, '0001_a.sql'), 'create table a (id int);')
  await promoted()
  await standby.ask('create database migrated')
  const connection = { url: standby.url.replace(/postgres$/, 'migrated') }
  await migrate({ connection, directory })
  await writeFile(join(directory, '0002_b.sql'), 'alter table a add column b int;')
  const db = await openDb({ connection, sealer: testSealer(), poolMax: 2 })
  try {
    const many = async (text: string) =>
      (await db.query<{ many: number }>({ name: `many_${text.length}`, text }))[0]?.many
    // The dump waits because no process reads its output, and keeps its locks in the meantime.
    await db.query({ name: 'fill', text: 'insert into a select generate_series(1, 200000)' })
    const dump = spawn(join(servers.binDir, 'pg_dump'), ['-d', connection.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => dump.kill('SIGKILL'))
    const sharedLocks = `select count(*)::int as many from pg_locks where relation = 'a'::regclass and mode = 'AccessShareLock'`
    await waitUntil('pg_dump holds the table', async () => (await many(sharedLocks)) !== 0)
    let isDone = false
    const migrating = migrate({ connection, directory }).finally(() => {
      isDone = true
    })
    const exclusiveLocks = `select count(*)::int as many from pg_locks where relation = 'a'::regclass and mode = 'AccessExclusiveLock'`
    await waitUntil('the migration waits for its lock', async () => (await many(exclusiveLocks)) !== 0)
    // It waits for its lock now. Later statements still get theirs.
    assert.equal(await many('select count(*)::int as many from a where id < 4'), 3)
    assert.equal(isDone, false)
    dump.stdout.resume()
    await once(dump, 'exit')
    assert.deepEqual(await migrating, ['0002_b'])
  } finally {
    await db.close()
  }
})

const CUTS = {
  'before the commit is written': { mode: 'dies', isDone: false, cut: async () => undefined },
  'after the commit is written': {
    mode: 'waits',
    isDone: true,
    cut: (pid: number) => standby.ask(`select pg_terminate_backend(${pid})`),
  },
  'with the whole server, after the commit is written': { mode: 'waits', isDone: true, cut: () => standby.crash() },
} as const

test('a connection that ends during a commit gives 503, and repeating the request creates exactly one verification', async (t) => {
  await promoted()
  const blocked = await serviceWithStalledCommits(standby)
  t.after(() => blocked.close())
  const key = await keyOf(blocked.deps)
  const counts = async () => {
    const rows = await blocked.deps.db.query<Record<'created' | 'charged' | 'audited', number>>({
      name: 'test_counts',
      text: `select (select count(*)::int from verifications) as created, (select coalesce(sum(created), 0)::int from usage_days) as charged,
                    (select count(*)::int from audit_entries where object_id like 'ver_%') as audited`,
    })
    return rows[0]
  }
  const create = async (idempotencyKey: string) =>
    blocked.app.inject({
      method: 'POST',
      url: '/v1/verifications',
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': idempotencyKey },
      payload: { template: 'age_over_18', purpose: 'Cut off' },
    })
  let created = 0
  for (const [when, { mode, isDone, cut }] of Object.entries(CUTS)) {
    await t.test(when, async () => {
      await blocked.atCommit(mode)
      let name = ''
      let answer: Awaited<ReturnType<typeof create>>
      // bounded: by the commits that wait, each within two minutes.
      do {
        created += 1
        name = `order-${created}`
        const creating = create(name)
        // The first commits may pass before the server waits for a standby.
        const pid = mode === 'waits' ? await firstWaiting(blocked, creating) : null
        if (pid !== null) await cut(pid)
        answer = await creating
      } while (answer.statusCode === 201 && mode === 'waits')
      assert.equal(answer.statusCode, 503, answer.body)
      assert.equal(answer.json().error.code, 'unavailable')
      await blocked.atCommit('passes')
      // The service answers 503 until it has connected again.
      await waitUntil('the server serves again', async () => {
        answer = await create(name)
        return answer.statusCode !== 503
      })
      assert.equal(answer.statusCode, 201, answer.body)
      assert.equal(answer.headers['idempotent-replayed'], isDone ? 'true' : undefined)
      assert.deepEqual(await counts(), { created, charged: created, audited: created })
    })
  }
})

/** Returns the server process of the first commit that waits; null: the commit finished first. */
async function firstWaiting(blocked: StallingService, creating: Promise<unknown>): Promise<number | null> {
  let isOver = false
  void creating.then(() => {
    isOver = true
  })
  let waiting: number | undefined
  await waitUntil('the commit waits or is done', async () => {
    if (!isOver) [waiting] = await blocked.waiting()
    return isOver || waiting !== undefined
  })
  return waiting ?? null
}

test('one URL per server of the list, whatever the password is', () => {
  const urls = (url: string) => connectionsOf({ url }).map((one) => ('url' in one ? one.url : ''))
  assert.deepEqual(urls('postgres://u:p%40,q@a:1,b/db?sslmode=require'), [
    'postgres://u:p%40,q@a:1/db?sslmode=require',
    'postgres://u:p%40,q@b/db?sslmode=require',
  ])
  assert.deepEqual(urls('postgres://[::1]:5,[2001:db8::1]'), ['postgres://[::1]:5', 'postgres://[2001:db8::1]'])
  for (const one of ['postgres://u:a,b@h/db', 'postgres:///db?host=/run/pg', 'postgres://u@/db?host=/a,/b'])
    assert.deepEqual(urls(one), [one])
  assert.throws(() => readConfig({ DATABASE_URL: 'postgres://h/db?target_session_attrs=standby' }), /DATABASE_URL/)
})

/** Returns the standby as the primary. The failover test has promoted it, unless this test runs alone. */
async function promoted(): Promise<void> {
  await standby.ask('select pg_promote() where pg_is_in_recovery()')
}

async function keyOf(deps: Parameters<typeof createKey>[0] & Parameters<typeof createTenant>[0]): Promise<string> {
  const tenant = await createTenant(deps, { name: 'Failover', plan: 'business', dailyQuota: null, actor: OPERATOR })
  const created = await createKey(deps, {
    tenantId: tenant.id,
    environment: 'test',
    name: 'failover',
    scopes: SCOPES,
    expiresInDays: null,
    actor: OPERATOR,
  })
  assert.ok(created !== null)
  return created.key
}
