// Tests that each late part of a migration is applied once, when no process of a release before it is connected.

import assert from 'node:assert/strict'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it, type TestContext } from 'node:test'
import { diagnose } from '../../src/features/operator/usecases/diagnose.ts'
import { LATE, listWaitingParts } from '../../src/platform/postgres/late-migrations.ts'
import {
  MIGRATIONS_DIRECTORY,
  migrate,
  migrationState,
  newestMigration,
  planMigration,
  readMigrations,
} from '../../src/platform/postgres/migrate.ts'
import { countOlderProcesses, sessionNameFor } from '../../src/platform/postgres/sealing/processes.ts'
import { runJob } from '../harness/jobs.ts'
import { testCluster } from '../harness/servers/cluster.ts'
import { testDatabase } from '../harness/servers/database.ts'
import { isInForce, LATE_NAME, olderProcess, withoutLatePart } from '../harness/servers/late-parts.ts'
import { testService } from '../harness/service.ts'

// The file keeps the cluster until its end, because each test ends its own database.
const cluster = await testCluster()
after(() => cluster.stop())

const LATER = `-- compatible_from: 0001
create table b (id int);
-- later, when no process of a release before 0002 is connected:
create index concurrently if not exists b_id on b (id);

-- then, in one transaction:
insert into b values (1);
`

/** Returns a database of release 0001, and the files of release 0002, whose migration has a late part. */
async function setting(t: TestContext, late = LATER) {
  const older = await mkdtemp(join(tmpdir(), 'vidimus-migrations-'))
  const newer = await mkdtemp(join(tmpdir(), 'vidimus-migrations-'))
  t.after(() => Promise.all([older, newer].map((one) => rm(one, { recursive: true }))).then(() => undefined))
  for (const directory of [older, newer]) {
    await cp(join(MIGRATIONS_DIRECTORY, '0000_migrations.sql'), join(directory, '0000_migrations.sql'))
    await writeFile(join(directory, '0001_a.sql'), '-- compatible_from: 0000\ncreate table a (id int);')
  }
  await writeFile(join(newer, '0002_b.sql'), late)
  const { db, connection, url } = await testDatabase(t, { migrated: false })
  const run = (directory: string) => migrate({ connection, directory })
  await run(older)
  const rows = async () => (await db.query({ name: 'test_b', text: 'select id from b' })).length
  const connect = async (name?: string) => {
    const client = await olderProcess(url, name)
    let isOpen = true
    const leave = async () => {
      if (isOpen) await client.end()
      isOpen = false
    }
    t.after(leave)
    return leave
  }
  return { db, connection, older, newer, run, rows, connect }
}

it('a late part is applied at once if no process is connected, and after that the release before does not start', async (t) => {
  const { db, older, newer, run, rows } = await setting(t)
  assert.deepEqual(await run(newer), ['0002_b', '0002_b (late part)'])
  assert.equal(await rows(), 1)
  assert.deepEqual(await run(newer), [])
  assert.equal(await rows(), 1)
  assert.deepEqual(await migrationState(db, newer), { state: 'current', applied: 3, known: 3 })
  await assert.rejects(run(older), {
    name: 'MigrationRefused',
    message: /the database is at 0002_b, .* only with releases from migration 2 on/,
  })
  assert.equal((await migrationState(db, older)).state, 'refused')
})

it('a late part waits for a process of the release before, which can restart until then and not after', async (t) => {
  const { db, connection, older, newer, run, rows, connect } = await setting(t)
  const leave = await connect()
  assert.deepEqual(await run(newer), ['0002_b'])
  assert.equal(await rows(), 0)
  assert.deepEqual(await listWaitingParts(db), [{ name: '0002_b', readableFrom: 2, olderProcesses: 1 }])
  const { missing, waiting } = await planMigration({ connection, directory: newer })
  assert.deepEqual([missing.length, waiting.length], [0, 1])
  assert.deepEqual(await migrationState(db, newer), { state: 'current', applied: 3, known: 3 })
  // Both releases start while the other runs, any number of times.
  assert.deepEqual(await run(older), [])
  assert.deepEqual(await run(newer), [])
  assert.equal(await rows(), 0)
  await leave()
  assert.deepEqual(await run(newer), ['0002_b (late part)'])
  assert.equal(await rows(), 1)
  assert.deepEqual(await listWaitingParts(db), [])
  await assert.rejects(run(older), { name: 'MigrationRefused' })
})

it('a late part allows no release that the migration itself excludes', async (t) => {
  const silent = LATER.replace('-- compatible_from: 0001\n', '').replace('before 0002', 'before 0001')
  const { newer, older, run } = await setting(t, silent)
  assert.deepEqual(await run(newer), ['0002_b', '0002_b (late part)'])
  await assert.rejects(run(older), { name: 'MigrationRefused', message: /works only with releases that contain it/ })
})

it('a session of an older release delays a late part; a session that migrates never does', async (t) => {
  for (const [name, isOlder] of [
    ['vidimus 01234567 #ab_d~0002', false],
    ['vidimus 01234567 #ab_d~0003', false],
    ['vidimus 01234567 #ab_d~0001', true],
    ['vidimus', true],
    ['vidimus migrate', false],
    ['vidimus lease', false],
    ['psql', false],
  ] as const) {
    const { db, connect } = await setting(t)
    const leave = await connect(name)
    assert.equal(await countOlderProcesses(db, 2), isOlder ? 1 : 0, name)
    await leave()
  }
})

it('replicas that start together apply a late part once', async (t) => {
  const { newer, run, rows } = await setting(t)
  const applied = await Promise.all([run(newer), run(newer), run(newer)])
  assert.deepEqual(applied.flat(), ['0002_b', '0002_b (late part)'])
  assert.equal(await rows(), 1)
})

it('a late part that was interrupted after a step is not applied, and continues', async (t) => {
  // The step fails as long as there is no row.
  const failing = LATER.replace('insert into b', 'select 1 / count(*) from a; insert into b')
  const { db, newer, older, run, rows } = await setting(t, failing)
  await assert.rejects(run(newer), /migration 0002_b \(late part\) failed \(22012\)/)
  assert.equal(await rows(), 0)
  assert.equal((await listWaitingParts(db)).length, 1)
  assert.deepEqual(await run(older), [], 'the release before still starts')
  await db.query({ name: 'test_mend', text: 'insert into a values (1)' })
  assert.deepEqual(await run(newer), ['0002_b (late part)'])
  assert.equal(await rows(), 1)
})

it('no start waits long for the lock of a late part: then it is not applied, and the next start tries again', async (t) => {
  const { db, newer, run, rows, connect } = await setting(t)
  const leave = await connect()
  await run(newer)
  await leave()
  const began = performance.now()
  await db.transaction(async (tx) => {
    // This transaction is like a backup: building an index concurrently waits for it.
    await tx.query({ name: 'test_hold', text: 'lock table b in row exclusive mode' })
    assert.deepEqual(await run(newer), [])
    return tx.query({ name: 'test_last', text: 'select 1' })
  })
  assert.ok(performance.now() - began < 40_000)
  assert.equal((await listWaitingParts(db)).length, 1)
  assert.deepEqual(await run(newer), ['0002_b (late part)'])
  assert.equal(await rows(), 1)
})

it('the name of a session states keys and release within the bytes that PostgreSQL keeps', () => {
  const keyIds = Array.from({ length: 5 }, (_, i) => `0123456${i}`)
  const name = sessionNameFor({ keyIds, tag: Buffer.from([255, 254, 253]), release: 75 })
  assert.equal(name, 'vidimus 01234560 01234561 01234562 01234563 01234564 #__79~0075')
  assert.equal(Buffer.byteLength(name), 63)
  assert.throws(() => sessionNameFor({ keyIds: [...keyIds, '01234565'], tag: Buffer.alloc(3), release: 75 }))
})

it('statements use late parts that exist, and that this release reads', async () => {
  const migrations = await readMigrations()
  for (const number of Object.values(LATE)) {
    const late = migrations[number]?.late ?? assert.fail(`${number} has no late part`)
    assert.ok(late.readableFrom <= (await newestMigration()))
  }
  const known: readonly number[] = Object.values(LATE)
  assert.deepEqual(
    migrations.filter(({ number, late }) => late !== null && !known.includes(number)).map(({ name }) => name),
    [],
  )
})

it('the job applies a late part when the last process of the release before is gone; doctor names what it waits for', async (t) => {
  const service = await testService()
  const { deps } = service
  const findings = async () => (await diagnose(deps)).filter(({ finding }) => /late part/.test(finding))
  await withoutLatePart(deps.db)
  const client = await olderProcess(service.url)
  let isOpen = true
  t.after(() => (isOpen ? client.end() : undefined))
  await runJob(deps, 'apply-late-migrations')
  assert.equal(await isInForce(deps.db), false)
  const [finding, ...more] = await findings()
  assert.deepEqual(more, [])
  assert.match(
    finding?.finding ?? '',
    new RegExp(`${LATE_NAME} waits: 1 connected processes have a release before ${LATE_NAME.slice(0, 4)}`),
  )
  assert.equal(finding?.status, 'warning')
  await client.end()
  isOpen = false
  assert.match((await findings())[0]?.finding ?? '', /not in force yet/)
  await runJob(deps, 'apply-late-migrations')
  assert.equal(await isInForce(deps.db), true)
  assert.deepEqual(await findings(), [])
  assert.ok(service.logged.some((line) => line.includes(`${LATE_NAME} (late part) is in force`)))
  await runJob(deps, 'apply-late-migrations')
})
