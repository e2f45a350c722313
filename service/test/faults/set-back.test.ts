// Tests that a store that was rolled back to an older copy does not serve until an operator has checked it.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openWorld } from '../../src/assemble.ts'
import { createTenant } from '../../src/core/tenants/usecases/manage-tenants.ts'
import { askWitnesses } from '../../src/features/transparency/usecases/ask-witnesses.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { reservePort } from '../../src/platform/reserved-port.ts'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { ownServers } from '../harness/servers/own-postgres.ts'
import { startWitness } from '../harness/servers/witness.ts'
import { OPERATOR } from '../harness/service.ts'
import { once, waitUntil } from '../harness/wait.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'vidimus-set-back-'))
const servers = await ownServers()
const children: ChildProcess[] = []
after(async () => {
  for (const child of children) child.kill('SIGKILL')
  await servers.close()
  await rm(folder, { recursive: true })
})

const server = await servers.start()
const witness = await startWitness(join(folder, 'witness'))
after(() => witness.kill('SIGKILL'))
const ENV = {
  ...BARE_ENVIRONMENT,
  DATABASE_URL: server.url,
  VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('hex'),
  VIDIMUS_BASE_URL: 'https://verify.example.com',
  VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8',
  VIDIMUS_LOG_LEVEL: 'warn',
  // The test decides when the log grows.
  VIDIMUS_ROLE: 'api',
}

/** Waits up to three minutes, because processes start and check their witness only from time to time. */
const until = (what: string, condition: () => Promise<boolean>) =>
  waitUntil(what, () => condition().catch(() => false), 180_000)

interface Started {
  readonly url: string
  readonly printed: () => string
  kill(): Promise<void>
}

/** Returns the output of the process if it ended instead of serving. */
async function serve(dataDir: string, env: Record<string, string> = {}): Promise<Started | string> {
  const { port, release } = await reservePort('127.0.0.1')
  await release()
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: { ...ENV, VIDIMUS_DATA_DIR: join(folder, dataDir), PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (printed += String(bytes)))
  const url = `http://127.0.0.1:${port}`
  let isOver = false
  child.once('close', () => {
    isOver = true
  })
  await until('it serves, or ended', async () => isOver || (await fetch(`${url}/healthz`)).status === 200)
  if (isOver) return printed
  return {
    url,
    printed: () => printed,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

async function vidimus(dataDir: string, ...args: string[]) {
  const env = { ...ENV, VIDIMUS_DATA_DIR: join(folder, dataDir) }
  return promisify(execFile)(process.execPath, [MAIN, ...args], { env }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ code: Number(code), output: `${stdout}${stderr}` }),
  )
}

/** Adds leaves: the first audit entry of each tenant is one. */
async function grow(tenants: number, setting = ''): Promise<number> {
  const config = readConfig({ ...ENV, VIDIMUS_WITNESSES: setting, VIDIMUS_DATA_DIR: join(folder, 'grower') })
  const world = await openWorld({ ...config, logLevel: 'silent' as const }, () => undefined)
  try {
    for (let i = 0; i < tenants; i += 1)
      await createTenant(world.deps, { name: 'Leaf', plan: 'business', dailyQuota: null, actor: OPERATOR })
    await growLog(world.deps)
    await askWitnesses(world.deps)
    const [row] = await server.ask<{ size: string }>('select size from log_heads')
    return Number(row?.size)
  } finally {
    await world.close()
  }
}

async function backUp(name: string): Promise<void> {
  await server.stop()
  await cp(server.data, join(folder, name), { recursive: true, preserveTimestamps: true })
  await server.revive()
}

async function rollBack(name: string): Promise<void> {
  await server.stop()
  await rename(server.data, join(folder, `gone-${Math.trunc(performance.now())}`))
  await promisify(execFile)('cp', ['-a', join(folder, name), server.data])
  const { uid, gid } = await stat(join(server.data, '..'))
  await promisify(execFile)('chown', ['-R', `${uid}:${gid}`, server.data])
  await server.revive()
}

const ready = ({ url }: Started) => fetch(`${url}/readyz`).then(({ status }) => status)
const started = (one: Started | string): Started => (typeof one === 'string' ? assert.fail(one) : one)

test('every process refuses a store that was rolled back, the running one included, until an operator has checked it', async () => {
  await grow(1)
  await backUp('first')
  const size = await grow(3)
  const running = started(await serve('a'))
  try {
    const file = join(folder, 'a', 'log-seen.json')
    await until('the log is remembered', async () => JSON.parse(await readFile(file, 'utf8')).size === size)
    assert.equal(await ready(running), 200)

    await rollBack('first')
    await until('the process refuses the store', async () => (await ready(running)) === 503)
    await until('the metric says why', async () =>
      /vidimus_store_refused\{reason="set_back"\} 1/.test(await (await fetch(`${running.url}/metrics`)).text()),
    )
    assert.equal((await fetch(`${running.url}/log/checkpoint`)).status, 503, 'nothing is served')
    assert.match(running.printed(), new RegExp(`the log had ${size} leaves and has`))
    // The store has a mark, so a process that has seen nothing refuses the store, too.
    for (const dataDir of ['a', 'fresh']) {
      const refused = await serve(dataDir)
      assert.ok(typeof refused === 'string', `${dataDir} serves`)
      assert.match(refused, /the store was rolled back|leaves and has/)
    }
    const doctor = await vidimus('fresh', 'doctor')
    assert.notEqual(doctor.code, 0)
    assert.match(doctor.output, /FAIL {2}store: the store does not serve/)

    const unchecked = await vidimus('a', 'restore', 'check')
    assert.equal(unchecked.code, 3)
    assert.equal(await ready(running), 503)
    assert.equal((await vidimus('a', 'restore', 'check', '--accept')).code, 0)
    await until('the process serves again', async () => (await ready(running)) === 200)
    await running.kill()
    const again = started(await serve('a'))
    assert.equal(await ready(again), 200)
    await again.kill()
    // Restored once more from the same backup: the earlier check does not cover it.
    await rollBack('first')
    const second = await serve('a')
    assert.ok(typeof second === 'string')
    assert.match(second, /from before it was checked last|leaves and has/)
    assert.equal((await vidimus('a', 'restore', 'check', '--accept')).code, 0)
  } finally {
    await running.kill()
  }
})

test('an unreadable file of the newest known checkpoint stops the start', async () => {
  await writeFile(join(folder, 'a', 'log-seen.json'), '{"size":')
  const refused = await serve('a')
  assert.ok(typeof refused === 'string')
  assert.match(refused, /log-seen\.json cannot be read/)
  await rm(join(folder, 'a', 'log-seen.json'))
})

test('a witness that has seen more leaves stops the start of a process that remembers nothing; an unavailable witness stops none', async () => {
  await rollBack('first')
  const env = { VIDIMUS_WITNESSES: witness.setting }
  await grow(1, witness.setting)
  await backUp('second')
  await grow(2, witness.setting)
  await rollBack('second')
  const refused = await serve('w1', env)
  assert.ok(typeof refused === 'string', 'it serves')
  assert.match(refused, /the witness .* has seen/)
  await rollBack('second')
  await witness.kill('SIGKILL')
  const away = started(await serve('w2', env))
  try {
    assert.equal(await ready(away), 200)
    assert.match(await (await fetch(`${away.url}/log/checkpoint`)).text(), /verify\.example\.com\/log/)
  } finally {
    await away.kill()
  }
})
