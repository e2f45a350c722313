// Tests that migrations are applied once and in order.

import assert from 'node:assert/strict'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  MIGRATIONS_DIRECTORY,
  migrate,
  migrationState,
  planMigration,
  readMigrations,
} from '../../src/platform/postgres/migrate.ts'
import { testCluster } from '../harness/servers/cluster.ts'
import { testDatabase } from '../harness/servers/database.ts'

// All tests share this cluster. Otherwise it would stop with the first test's database.
const cluster = await testCluster()
after(() => cluster.stop())

const FIRST = '0000_migrations.sql'

/** Returns a folder with the first migration and these further ones. */
async function folderOf(t: TestContext, files: Record<string, string>) {
  const directory = await mkdtemp(join(tmpdir(), 'vidimus-migrations-'))
  t.after(() => rm(directory, { recursive: true }))
  await cp(join(MIGRATIONS_DIRECTORY, FIRST), join(directory, FIRST))
  const add = (name: string, sql: string) => writeFile(join(directory, name), sql)
  for (const [name, sql] of Object.entries(files)) await add(name, sql)
  return { directory, add }
}

/** Such a folder and an empty database. */
async function setting(t: TestContext, files: Record<string, string>) {
  const { directory, add } = await folderOf(t, files)
  const { db, connection } = await testDatabase(t, { migrated: false })
  const run = () => migrate({ connection, directory })
  return { db, connection, directory, add, run, state: () => migrationState(db, directory) }
}

it('applies what is missing, in order, once', async (t) => {
  const { db, add, run, state } = await setting(t, {
    '0001_a.sql': 'create table a (id int); insert into a values (1);',
  })
  assert.deepEqual(await state(), { state: 'behind', applied: 0, known: 2 })
  assert.deepEqual(await run(), ['0000_migrations', '0001_a'])
  assert.deepEqual(await run(), [])
  await add('0002_b.sql', 'create table b as select id + 1 as id from a;')
  assert.deepEqual(await state(), { state: 'behind', applied: 2, known: 3 })
  assert.deepEqual(await run(), ['0002_b'])
  assert.deepEqual(await db.query({ name: 'b', text: 'select id from b' }), [{ id: 2 }])
  assert.deepEqual(await state(), { state: 'current', applied: 3, known: 3 })
})

it('replicas that start together apply each migration once', async (t) => {
  const { db, run } = await setting(t, { '0001_a.sql': 'create table a (id int); insert into a values (1);' })
  const applied = await Promise.all([run(), run(), run(), run()])
  assert.deepEqual(applied.flat().sort(), ['0000_migrations', '0001_a'])
  assert.deepEqual(await db.query({ name: 'a', text: 'select id from a' }), [{ id: 1 }])
})

it('a migration that fails leaves nothing, is named, and can be fixed', async (t) => {
  const { db, add, run } = await setting(t, { '0001_a.sql': 'create table a (id int); select 1/0;' })
  await assert.rejects(run(), /migration 0001_a failed/)
  assert.deepEqual(await db.query({ name: 'gone', text: `select to_regclass('a')::text as a` }), [{ a: null }])
  await add('0001_a.sql', 'create table a (id int);')
  assert.deepEqual(await run(), ['0001_a'])
})

it('refuses a file that was changed after it was applied', async (t) => {
  const { add, run, state } = await setting(t, { '0001_a.sql': 'create table a (id int);' })
  await run()
  await add('0001_a.sql', 'create table a (id bigint);')
  await assert.rejects(run(), { name: 'MigrationRefused', message: /0001_a differs/ })
  assert.equal((await state()).state, 'refused')
  await add('0001_a.sql', 'create table a (id int);')
  assert.deepEqual(await run(), [])
})

it('line ends may differ between checkouts', async (t) => {
  const { add, run } = await setting(t, { '0001_a.sql': 'create table a (id int);\n' })
  await run()
  await add('0001_a.sql', 'create table a (id int);\r\n')
  assert.deepEqual(await run(), [])
})

it('refuses a database that a newer release has migrated, and `migrationState` returns `refused`', async (t) => {
  const { directory, run, state } = await setting(t, { '0001_a.sql': 'create table a (id int);' })
  await run()
  await rm(join(directory, '0001_a.sql'))
  await assert.rejects(run(), { name: 'MigrationRefused', message: /0001_a, which this release does not know/ })
  assert.equal((await state()).state, 'refused')
})

it('a release starts with a newer schema that is compatible with it: during a rollout, and after a rollback', async (t) => {
  const { db, add, directory, run, state } = await setting(t, { '0001_a.sql': 'create table a (id int);' })
  await run()
  await add('0002_b.sql', '-- compatible_from: 0001\nalter table a add column b int;')
  assert.deepEqual(await run(), ['0002_b'])
  await rm(join(directory, '0002_b.sql'))
  assert.deepEqual(await run(), [])
  assert.deepEqual(await state(), { state: 'ahead', applied: 3, known: 2 })
  await db.query({ name: 'works_on', text: 'insert into a (id) values (1)' })
  // A still older release was never tested with it.
  await rm(join(directory, '0001_a.sql'))
  await assert.rejects(run(), { name: 'MigrationRefused', message: /0001_a, which this release does not know/ })
  assert.equal((await state()).state, 'refused')
})

it('a release starts only if every newer migration is compatible with it', async (t) => {
  const { add, directory, run, state } = await setting(t, {})
  await run()
  await add('0001_a.sql', '-- compatible_from: 0000\ncreate table a (id int);')
  await add('0002_b.sql', '-- compatible_from: 0001\ndrop table a;')
  await run()
  await rm(join(directory, '0002_b.sql'))
  assert.deepEqual(await run(), [])
  await rm(join(directory, '0001_a.sql'))
  await assert.rejects(run(), {
    name: 'MigrationRefused',
    message: /0002_b, .* only with releases from migration 1 on/,
  })
  assert.equal((await state()).state, 'refused')
})

it('a plan says what would be done, and does nothing', async (t) => {
  const { add, connection, directory, run, state } = await setting(t, {})
  await run()
  await add('0001_a.sql', '-- compatible_from: 0000\ncreate table a (id int);')
  await add('0002_b.sql', 'drop table a;')
  const { missing, ahead } = await planMigration({ connection, directory })
  assert.deepEqual(
    missing.map(({ name, compatibleFrom }) => [name, compatibleFrom]),
    [
      ['0001_a', 0],
      ['0002_b', null],
    ],
  )
  assert.equal(ahead, null)
  assert.deepEqual(await state(), { state: 'behind', applied: 1, known: 3 })
})

const ONLINE = `-- compatible_from: 0000
-- A comment is no step.

create unique index concurrently if not exists a_key on a (id);

-- Why.
create table if not exists b (id int);
-- then, in one transaction:
alter table a add constraint a_key primary key using index a_key;
`

it('steps before the transaction run one by one, and again after an interruption', async (t) => {
  const { db, add, run } = await setting(t, { '0001_a.sql': 'create table a (id int not null);' })
  await run()
  const insert = (id: number) => db.query({ name: 'insert', text: 'insert into a values ($1)' }, [id])
  await insert(1)
  await insert(1)
  await add('0002_key.sql', ONLINE)
  // The build fails and leaves an invalid index.
  await assert.rejects(run(), /migration 0002_key failed \(23505\); run it again/)
  const invalid = {
    name: 'invalid',
    text: 'select indexrelid::regclass::text as name from pg_index where not indisvalid',
  }
  assert.deepEqual(await db.query(invalid), [{ name: 'a_key' }])
  await db.query({ name: 'single', text: 'delete from a where ctid = (select max(ctid) from a)' })
  assert.deepEqual(await run(), ['0002_key'])
  assert.deepEqual(await db.query(invalid), [])
  await assert.rejects(insert(1), { code: '23505' })
  assert.deepEqual(await run(), [])
})

it('a step waits only briefly for a lock, and tries again', async (t) => {
  const { db, add, run } = await setting(t, { '0001_a.sql': 'create table a (id int);' })
  await run()
  await add('0002_b.sql', 'alter table a add column if not exists b int;\n-- then, in one transaction:\nselect 1;\n')
  const waits: number[] = []
  await db.transaction(async (tx) => {
    await tx.query({ name: 'hold', text: 'select from a' })
    const migrating = run()
    for (let requestCount = 0; requestCount < 4; requestCount += 1) {
      await delay(500)
      const began = performance.now()
      await db.query({ name: 'passes', text: 'select from a' })
      waits.push(performance.now() - began)
    }
    // The step does not get its lock before this transaction ends.
    assert.equal(await Promise.race([migrating, delay(10, 'waits')]), 'waits')
    void migrating.catch(() => undefined)
    return tx.query({ name: 'last', text: 'select 1' })
  })
  assert.ok(Math.max(...waits) < 2_000, String(waits))
  assert.deepEqual(await run(), [])
})

it('every migration from 0038 on says with which releases it works', async () => {
  const silent = (await readMigrations()).filter((one) => one.number >= 38 && one.compatibleFrom === null)
  assert.deepEqual(
    silent.map(({ name }) => name),
    [],
  )
})

it('refuses a history with a gap', async (t) => {
  const { db, run, state } = await setting(t, { '0001_a.sql': 'select 1;', '0002_b.sql': 'select 2;' })
  await run()
  await db.query({ name: 'hole', text: 'delete from schema_migrations where number = 1' })
  await assert.rejects(run(), { name: 'MigrationRefused', message: /missing from the database's history/ })
  assert.equal((await state()).state, 'refused')
})

it('refuses gaps, duplicates and odd names among the files', async (t) => {
  for (const [name, message] of [
    ['0002_gap.sql', /gap or a double/],
    ['0000_double.sql', /gap or a double/],
    ['1_short.sql', /not named NNNN_name/],
    ['0001-dash.sql', /not named NNNN_name/],
  ] as const) {
    const { directory } = await folderOf(t, { [name]: 'select 1;' })
    await assert.rejects(readMigrations(directory), { name: 'MigrationRefused', message })
  }
  const empty = await mkdtemp(join(tmpdir(), 'vidimus-migrations-'))
  t.after(() => rm(empty, { recursive: true }))
  await assert.rejects(readMigrations(empty), { name: 'MigrationRefused' })
})
