// Tests the command line with real processes on a real store.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Db } from '../../src/platform/postgres/db.ts'
import { LATE } from '../../src/platform/postgres/late-migrations.ts'
import { migrate } from '../../src/platform/postgres/migrate.ts'
import { allNotified } from '../harness/notified.ts'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { testDatabase } from '../harness/servers/database.ts'
import { isInForce, LATE_NAME, olderProcess, withoutLatePart } from '../harness/servers/late-parts.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const service = await testService()
const run = promisify(execFile)
/** Runs a command in this process, for cases where a separate process proves nothing more. */
const cli = commandLine(service)

/** Exit code, stdout and stderr of one command on the test's store. */
async function vidimus(args: readonly string[], env: Record<string, string> = {}) {
  const environment = {
    ...BARE_ENVIRONMENT,
    DATABASE_URL: service.url,
    VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
    ...env,
  }
  try {
    const { stdout, stderr } = await run(process.execPath, [MAIN, ...args], { env: environment })
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, stdout, stderr }
  }
}

async function json(args: readonly string[]) {
  const { code, stdout, stderr } = await vidimus([...args, '--json'])
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

test('a tenant and a key from the command line work with the running service at once', async () => {
  const tenant = await json(['tenant', 'create', '--name', 'Corner shop', '--plan', 'starter'])
  assert.match(tenant.id, /^ten_/)
  const created = await json([
    'key',
    'create',
    '--tenant',
    tenant.id,
    '--environment',
    'live',
    '--scope',
    'verifications:read',
    '--expires-in-days',
    '365',
  ])
  assert.match(created.id, /^key_/)
  assert.match(created.key, /^vk_live_/)
  assert.deepEqual(created.scopes, ['verifications:read'])
  const answer = await service.call('GET', '/v1/usage', { key: created.key })
  assert.equal(answer.json.daily_quota, 1000)
  assert.equal((await cli.json('usage', '--tenant', tenant.id)).daily_quota, 1000)

  await json(['tenant', 'update', tenant.id, '--daily-quota', '3'])
  assert.equal((await service.call('GET', '/v1/usage', { key: created.key })).json.daily_quota, 3)
  await cli.json('tenant', 'update', tenant.id, '--daily-quota', 'plan', '--plan', 'free')
  const { data: tenants } = await cli.json('tenant', 'list')
  assert.equal(tenants.find((row: { id: string }) => row.id === tenant.id).daily_quota, 100)

  const { data } = await cli.json('key', 'list', '--tenant', tenant.id)
  assert.equal(data.length, 1)
  assert.ok(!JSON.stringify(data).includes(created.key.slice(12)))
  await json(['key', 'revoke', created.id, '--tenant', tenant.id])
  // A notification tells the process of the service about the change.
  await allNotified(service)
  assert.equal((await service.call('GET', '/v1/usage', { key: created.key })).status, 401)
})

test('a key without named scopes may do everything except delete', async () => {
  const tenant = await cli.json('tenant', 'create', '--name', 'Shop')
  const created = await cli.json('key', 'create', '--tenant', tenant.id)
  assert.deepEqual(created.scopes, ['verifications:create', 'verifications:read', 'devices:manage'])
  assert.equal(created.expires_at, null)
})

test('a mistake in the call is exit code 2 with one clear line, and nothing is changed', async () => {
  const before = (await cli.json('tenant', 'list')).data.length
  const mistakes = [
    ['tenant', 'create', '--name', 'X', '--plan', 'gold'],
    ['tenant', 'create', '--name', 'X', '--daily-quota', 'many'],
    ['tenant', 'create'],
    ['tenant', 'update', 'ten_unknown', '--name', 'Y'],
    ['key', 'create', '--tenant', 'ten_unknown'],
    ['key', 'create', '--tenant', 'ten_unknown', '--scope', 'everything'],
    ['key', 'create', '--tenant', 'ten_unknown', '--expires-in-days', '31'],
    ['key', 'create', '--tenant', 'ten_unknown', '--environment', 'prod'],
    ['key', 'revoke', 'key_unknown', '--tenant', 'ten_unknown'],
    ['usage', '--tenant', 'ten_unknown'],
    ['frobnicate'],
  ]
  for (const args of mistakes) {
    const { code, out, err } = await cli.run(...args)
    assert.equal(code, 2, `${args.join(' ')}: ${err}`)
    assert.equal(out, '')
    assert.ok(err.length > 0)
    assert.doesNotMatch(err, /\n {4}at /)
  }
  const { code, stdout, stderr } = await vidimus(['key', 'create', '--tenant', 'ten_unknown'])
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /^[^\n]+\n$/)
  assert.equal((await cli.json('tenant', 'list')).data.length, before)
  const slip = await cli.run('tenantt')
  assert.equal(
    slip.err,
    "error: unknown command 'tenantt'\n(Did you mean tenant?)\n`vidimus --help` lists the commands.\n",
  )
})

test('doctor says what is wrong and how to fix it', async () => {
  const well = await vidimus(['doctor', '--json'])
  assert.equal(well.code, 0, well.stderr)
  const { findings } = JSON.parse(well.stdout)
  for (const area of ['configuration', 'store', 'schema', 'clock']) {
    assert.equal(findings.find((finding: { area: string }) => finding.area === area)?.status, 'ok', area)
  }
  const misspelt = await vidimus(['doctor'], { VIDIMUS_FORWARD_ONLLY: 'on' })
  assert.match(misspelt.stdout, /WARN {2}configuration: VIDIMUS_FORWARD_ONLLY is set, and nothing reads it\n/)
  assert.doesNotMatch(misspelt.stdout, /every variable is understood/)
  const ill = await vidimus(['doctor'], { PORT: 'x', VIDIMUS_RATE_KEY: 'y' })
  assert.equal(ill.code, 2)
  assert.match(ill.stdout, /PORT/)
  assert.match(ill.stdout, /VIDIMUS_RATE_KEY/)
  const unreachable = await vidimus(['doctor'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
  assert.equal(unreachable.code, 2)
  assert.match(unreachable.stdout, /FAIL {2}store/)
})

test('doctor changes nothing: it names pending migrations, and creates no store and no key', async (t) => {
  const empty = await testDatabase(t, { migrated: false })
  const behind = await vidimus(['doctor'], { DATABASE_URL: empty.url })
  assert.equal(behind.code, 2)
  assert.match(
    behind.stdout,
    /FAIL {2}store: \d+ migrations are not applied yet, .*: 0000_migrations, 0001_.*\n {6}→ run `vidimus migrate`/,
  )
  assert.deepEqual(await tablesOf(empty.db), [])
  // A migrated store on which no service was started: doctor must not store what a start would store.
  await migrate({ connection: empty.connection })
  const before = await contentOf(empty.db)
  const looked = await vidimus(['doctor', '--json'], { DATABASE_URL: empty.url })
  assert.equal(JSON.parse(looked.stdout).findings.find(({ area }: { area: string }) => area === 'schema')?.status, 'ok')
  assert.deepEqual(await contentOf(empty.db), before)
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-doctor-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  for (const [command, env] of [
    [['doctor'], { DATABASE_URL: '', VIDIMUS_MASTER_KEY: '' }],
    [['migrate', '--plan'], { DATABASE_URL: '', VIDIMUS_MASTER_KEY: '' }],
    [['doctor'], { VIDIMUS_MASTER_KEY: '' }],
  ] as const) {
    const { code, stdout, stderr } = await vidimus(command, { ...env, VIDIMUS_DATA_DIR: join(folder, 'data') })
    assert.notEqual(code, 0)
    assert.match(stdout + stderr, /there is none in \S+data|contains no master key/)
  }
  assert.deepEqual(await readdir(folder), [])
})

async function tablesOf(db: Db): Promise<string[]> {
  const text = `select tablename from pg_tables where schemaname = 'public' order by tablename`
  return (await db.query<{ tablename: string }>({ name: 'test_tables', text })).map(({ tablename }) => tablename)
}

/** Returns every row of every table; of the write probe only the time of its last write may differ. */
async function contentOf(db: Db): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = {}
  for (const table of (await tablesOf(db)).filter((name) => name !== 'write_probe'))
    content[table] = await db.query({ name: `test_all_${table}`, text: `select * from "${table}" order by 1` })
  return content
}

test('reports every problem of a bad configuration, without a stack', async () => {
  const { code, stderr } = await vidimus(['tenant', 'list'], { PORT: '-1', VIDIMUS_LOG_LEVEL: 'loud' })
  assert.equal(code, 1)
  assert.match(stderr, /PORT: /)
  assert.match(stderr, /VIDIMUS_LOG_LEVEL: /)
})

test('migrate on a store that is up to date changes nothing', async () => {
  assert.deepEqual((await json(['migrate'])).applied, [])
})

test('migrate says which late part waits for older processes, and applies it when they are gone', async () => {
  await withoutLatePart(service.deps.db)
  const older = await olderProcess(service.url)
  try {
    for (const args of [['migrate'], ['migrate', '--plan']]) {
      const { waiting } = await json(args)
      assert.deepEqual(waiting, [{ name: LATE_NAME, readable_from: LATE.rowsPerBatch, older_processes: 1 }])
      assert.match(
        (await vidimus(args)).stdout,
        /waits for processes of releases before 00\d\d: 1 of them are connected/,
      )
    }
  } finally {
    await older.end()
  }
  assert.match((await vidimus(['migrate', '--plan'])).stdout, /comes into force with the next `vidimus migrate`/)
  assert.deepEqual(await isInForce(service.deps.db), false)
  const { applied, waiting } = await json(['migrate'])
  assert.deepEqual([applied, waiting], [[`${LATE_NAME} (late part)`], []])
  assert.deepEqual(await isInForce(service.deps.db), true)
})
