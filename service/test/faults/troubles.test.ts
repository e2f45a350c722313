// Tests that each fault of an installation is reported in one line with its remedy, and that `vidimus doctor` ends.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runProgram } from '../../src/cli/program.ts'
import { troubleOf } from '../../src/platform/cli/trouble.ts'
import { reservePort } from '../../src/platform/reserved-port.ts'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'
import { once } from '../harness/wait.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const KEY = TEST_MASTER_KEY.toString('hex')
const service = await testService()
const folder = await mkdtemp(join(tmpdir(), 'vidimus-troubles-'))
after(() => rm(folder, { recursive: true, force: true }))

async function vidimus(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...BARE_ENVIRONMENT, VIDIMUS_DATA_DIR: join(folder, 'data'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

test('serve reports a store that does not answer, does not exist or was sealed with another key, and an invalid folder', async () => {
  const { port, release } = await reservePort('127.0.0.1')
  await release()
  await writeFile(join(folder, 'file'), '')
  const unreachable = { DATABASE_URL: `postgres://vidimus:secret@127.0.0.1:${port}/vidimus`, VIDIMUS_MASTER_KEY: KEY }
  const otherKey = { DATABASE_URL: service.url, VIDIMUS_MASTER_KEY: randomBytes(32).toString('hex') }
  const noDatabase = { DATABASE_URL: service.url.replace(/\/t_[^?]*/, '/nowhere'), VIDIMUS_MASTER_KEY: KEY }
  const noFolder = { VIDIMUS_DATA_DIR: join(folder, 'file') }
  const cases: readonly [Readonly<Record<string, string>>, RegExp][] = [
    [unreachable, /^store: PostgreSQL at 127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\) → .*DATABASE_URL\n$/],
    [noDatabase, /^store: PostgreSQL at \S+ has no such database \(3D000\) → create it, or correct DATABASE_URL\n$/],
    [otherKey, /^master key: it is not the right one: .* → set VIDIMUS_MASTER_KEY .*\n$/],
    [noFolder, /^data directory: \S+ cannot be used \((EEXIST|ENOTDIR)\) → .*VIDIMUS_DATA_DIR\n$/],
  ]
  await Promise.all(
    cases.map(async ([env, line]) => {
      const { code, output } = await vidimus({ PORT: '0', ...env }, 'serve')
      assert.match(output, line)
      assert.equal(code, 1)
    }),
  )
  for (const env of [unreachable, noFolder]) {
    const { code, output } = await vidimus(env, 'doctor')
    assert.equal(code, 2)
    assert.match(output, /^FAIL {2}(store|data directory): .*\n {6}→ .*\n1 problem found\n$/m)
    assert.ok(!output.includes('secret'))
  }
})

test("a full disk is reported, both of this machine and of the store's server", async () => {
  const full = await writeFile('/dev/full', 'x').catch((error: unknown) => error)
  assert.deepEqual(troubleOf(Object.assign(full as Error, { path: '/data/master.key' })), {
    area: 'disk',
    finding: 'no space is left for /data/master.key (ENOSPC)',
    remedy: 'free some space, or set VIDIMUS_DATA_DIR to another disk',
  })
  const raise = `do $$ begin raise exception using errcode = '53100'; end $$`
  await assert.rejects(service.deps.db.query({ name: 'full', text: raise }), {
    name: 'StoreUnavailable',
    message: 'the disk of the server is full (53100)',
  })
  assert.equal(troubleOf(new Error('a fault of ours')), null)
})

test('doctor ends even if the running service accepts its request and never answers', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  let out = ''
  const world = {
    out: (text: string) => {
      out += text
    },
    err: () => undefined,
    reach: globalThis.fetch,
    withDeps: <T>(work: (deps: typeof service.deps) => Promise<T>) => work(service.deps),
    withOtherDeps: () => Promise.reject(new Error('there is no other installation')),
    inspect: <T>(work: (deps: typeof service.deps) => Promise<T>) => work(service.deps),
    serve: async () => assert.fail('not asked for'),
    serveWitness: async () => assert.fail('not asked for'),
    migrate: async () => assert.fail('not asked for'),
    planMigration: async () => assert.fail('not asked for'),
    wrapMasterKey: async () => assert.fail('not asked for'),
    configProblems: async () => [],
    unreadVariables: [],
    runningService: async () => ({ address, baseUrl: address, port: 1 }),
  }
  await runProgram(world, ['doctor'])
  assert.match(out, /WARN {2}service: nothing answers at /)
  silent.close()
})
