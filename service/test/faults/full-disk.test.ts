// Tests a full disk under a real PostgreSQL: readiness, metric and doctor report it, and recover.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openWorld, type World } from '../../src/assemble.ts'
import { buildApp } from '../../src/http-server.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import type { App } from '../../src/platform/http/app.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { ownServers } from '../harness/servers/own-postgres.ts'
import { GENEROUS } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'

const DISK = '200m'
const MOUNTED = 'VIDIMUS_TEST_SMALL_DISK'

test('with a full disk the service is not ready, store_up is 0 and doctor says why; it recovers when there is space', async (t) => {
  const own = process.env[MOUNTED]
  if (own !== undefined) return withService(own, assertReported)
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-full-disk-'))
  try {
    await chmod(folder, 0o755)
    const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=755`, 'tmpfs', folder]).status === 0
    if (!isMounted) return runInNamespace(t, folder)
    try {
      await withService(folder, assertReported)
    } finally {
      assert.equal(spawnSync('umount', [folder]).status, 0)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** Runs the test without root, in a user namespace that may mount a file system in memory. */
function runInNamespace(t: { diagnostic(text: string): void }, folder: string): void {
  const mount = `mount -t tmpfs -o size=${DISK},mode=755 tmpfs "$0" && exec "$@"`
  const namespace = ['--user', '--map-current-user', '--keep-caps', '--mount', 'sh', '-c']
  if (spawnSync('unshare', [...namespace, mount, folder, 'true']).status !== 0) {
    t.diagnostic('no file system can be mounted here: a full disk was not tested')
    return
  }
  const command = [process.execPath, '--test', '--test-reporter=spec', import.meta.filename]
  const run = spawnSync('unshare', [...namespace, mount, folder, ...command], {
    env: { ...withoutRunner(process.env), [MOUNTED]: folder },
    encoding: 'utf8',
    timeout: 300_000,
  })
  assert.equal(run.status, 0, run.stdout + run.stderr)
}

/** Removes a variable of the test runner, because a nested runner would report to the outer one. */
const withoutRunner = ({ NODE_TEST_CONTEXT: _, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv => env

async function withService(disk: string, work: (app: App, world: World, disk: string) => Promise<void>): Promise<void> {
  const folder = join(disk, 'servers')
  await mkdir(folder)
  const servers = await ownServers(folder)
  try {
    const { url } = await servers.start()
    const masterKey = randomBytes(32).toString('base64')
    const config = { ...readConfig({ DATABASE_URL: url, VIDIMUS_MASTER_KEY: masterKey }), ...GENEROUS }
    const world = await openWorld({ ...config, logLevel: 'silent' as const }, () => undefined)
    const app = buildApp(world.deps)
    try {
      await work(app, world, disk)
    } finally {
      await app.close()
      await world.close()
    }
  } finally {
    await servers.close()
  }
}

async function assertReported(app: App, world: World, disk: string): Promise<void> {
  const ready = async () => (await app.inject('/readyz')).statusCode
  const storeUp = async () =>
    /^vidimus_store_up (\d)$/m.exec(
      (await app.inject({ url: '/metrics', headers: { host: 'localhost' } })).payload,
    )?.[1]
  const doctor = () => commandLine(world).run('doctor')
  assert.deepEqual([await ready(), await storeUp()], [200, '1'])
  assert.doesNotMatch((await doctor()).out, /FAIL {2}store/)

  const filler = join(disk, 'filler')
  await fill(filler)
  await waitUntil('it is not ready', async () => (await ready()) === 503)
  // Repeated requests to /readyz use up the rate of this address, which /metrics shares.
  await waitUntil('the metrics say that the store is down', async () => (await storeUp()) === '0')
  const { code, out, err } = await doctor()
  assert.equal(code, 2, out + err)
  assert.match(out, /FAIL {2}store: takes no writes: the disk of the server is full[^\n]*\n\s+→ free space/)
  assert.equal((await app.inject('/healthz')).statusCode, 200)

  await rm(filler)
  await waitUntil('it is ready again', async () => (await ready()) === 200)
  await waitUntil('the metrics say that the store is up', async () => (await storeUp()) === '1')
  assert.doesNotMatch((await doctor()).out, /FAIL {2}store/)
}

async function fill(path: string): Promise<void> {
  const file = await open(path, 'w')
  try {
    // bounded: by the size of the disk.
    for (;;) await file.write(Buffer.alloc(4096))
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
  } finally {
    await file.close()
  }
}
