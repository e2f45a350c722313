// Tests the process: what the first start prints and later ones do not, and how it stops.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { clientConfig } from '../src/platform/postgres/connection.ts'
import type { Db } from '../src/platform/postgres/db.ts'
import { BARE_ENVIRONMENT } from './harness/servers/bare-environment.ts'
import { testDatabase } from './harness/servers/database.ts'
import { once, waitUntil, within } from './harness/wait.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

test('only the first start prints a working key; SIGTERM, or SIGINT twice, stops the service with its own PostgreSQL', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidimus-serve-'))
  // PostgreSQL runs as another user, so that user must be able to enter the folder.
  await chmod(dataDir, 0o755)
  try {
    const first = await start(dataDir)
    const key = /vk_test_[0-9A-Za-z]{38}/.exec(first.printed())?.[0]
    assert.ok(key !== undefined, first.printed())
    assert.doesNotMatch(first.printed(), /nothing reads it/)
    assert.match(first.printed(), /\/docs/)
    assert.match(first.printed(), /Store +embedded PostgreSQL .*DATABASE_URL/)
    assert.equal((await fetch(`${first.url}/readyz`)).status, 200)
    const usage = await fetch(`${first.url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(usage.status, 200)
    assert.equal((await stat(join(dataDir, 'master.key'))).mode & 0o777, 0o600)
    const masterKey = await readFile(join(dataDir, 'master.key'), 'utf8')
    assert.equal(await stop(first.child), 0)

    const second = await start(dataDir, { VIDIMUS_FORWARD_ONLLY: 'secret' })
    assert.match(second.printed(), /"level":"warn".*VIDIMUS_FORWARD_ONLLY is set, and nothing reads it/)
    assert.doesNotMatch(second.printed(), /vk_|whsec_|Bearer|secret/)
    assert.equal((await fetch(`${second.url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })).status, 200)
    assert.equal(await readFile(join(dataDir, 'master.key'), 'utf8'), masterKey)
    assert.ok(!first.printed().includes('"msg":"request failed"'))

    const lockFile = join(dataDir, 'postgres', '18', 'postmaster.pid')
    assert.ok((await stat(lockFile)).size > 0)
    second.child.removeAllListeners('exit')
    const ended = once(second.child, 'exit')
    second.child.kill('SIGINT')
    await waitUntil('the service reports that it stops', () => second.printed().includes('"msg":"stopping"'))
    second.child.kill('SIGINT')
    assert.deepEqual(await ended, [0, null])
    await assert.rejects(stat(lockFile), { code: 'ENOENT' })
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
})

test('a start that waits for its store stops on a signal: within the grace period, or immediately on a second signal', async (t) => {
  const { url, connection, db } = await testDatabase({ after: (work) => t.after(work) })
  const limits = { connectTimeoutMs: 10_000, statementTimeoutMs: 0, lockTimeoutMs: 0, idleInTransactionTimeoutMs: 0 }
  // Takes the lock like another replica during a long migration.
  const migrating = new pg.Client(clientConfig(connection, limits, 'vidimus test ~9999'))
  await migrating.connect()
  try {
    await migrating.query('select pg_advisory_lock(7310010)')
    const [patient, impatient] = [await hangingStart(db, url), await hangingStart(db, url)]
    patient.child.kill('SIGTERM')
    const again = setInterval(() => impatient.child.kill('SIGTERM'), 100)
    const ends = await Promise.all([impatient.ended, patient.ended]).finally(() => clearInterval(again))
    assert.deepEqual(ends, [
      [143, null],
      [1, null],
    ])
  } finally {
    await migrating.end()
  }
})

/** Resolves once the started process waits for the migration lock. */
async function hangingStart(db: Db, url: string): Promise<{ child: ChildProcess; ended: Promise<unknown[]> }> {
  const text = `select count(*)::int as many from pg_stat_activity where datname = current_database()
                and application_name = 'vidimus migrate' and query like '%pg_try_advisory_lock%'`
  const waiters = async () => (await db.query<{ many: number }>({ name: 'test_waiting', text }))[0]?.many ?? 0
  const before = await waiters()
  const env = { ...BARE_ENVIRONMENT, DATABASE_URL: url, VIDIMUS_DATA_DIR: '/nowhere', PORT: '0' }
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  await waitUntil('the started process waits for the migration lock', async () => {
    assert.equal(child.exitCode, null)
    return (await waiters()) !== before
  })
  return { child, ended: once(child, 'exit') }
}

/** Resolves once the service reports its address. */
async function start(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ child: ChildProcess; url: string; printed: () => string }> {
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: { ...BARE_ENVIRONMENT, HOME: process.env.HOME ?? '', VIDIMUS_DATA_DIR: dataDir, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.setEncoding('utf8')
  const started = new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`exited with ${code}: ${printed}`)))
    child.stdout.on('data', (chunk: string) => {
      printed += chunk
      if (/Store +/.test(printed) && printed.endsWith('\n\n')) resolve()
    })
  })
  await within('the service reports its address', started)
  const url = /running at (\S+)/.exec(printed)?.[1] ?? ''
  return { child, url, printed: () => printed }
}

async function stop(child: ChildProcess): Promise<number | null> {
  const began = performance.now()
  child.removeAllListeners('exit')
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  assert.ok(performance.now() - began < 60_000)
  return code
}
