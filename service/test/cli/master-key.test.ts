// Tests `vidimus master-key` in real processes: with the key in environment variables, and in a file.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { testDatabase } from '../harness/servers/database.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { startReplicas } from '../harness/servers/replicas.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const { url } = await testDatabase()
const dataDir = await mkdtemp(join(tmpdir(), 'vidimus-master-key-'))
// A folder that PostgreSQL, which does not run as root, can enter, and that is deleted with it.
await chmod(dataDir, 0o755)
after(() => rm(dataDir, { recursive: true, force: true }))

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function vidimus(env: Record<string, string>, ...args: string[]): Promise<Ran> {
  const options = {
    env: { ...BARE_ENVIRONMENT, HOME: process.env.HOME ?? '', VIDIMUS_DATA_DIR: dataDir, ...env },
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

async function json(ran: Promise<Ran>) {
  const { code, stdout, stderr } = await ran
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

const secretOf = async (env: Record<string, string>, tenant: string): Promise<string> =>
  (await json(vidimus(env, 'webhook-secret', 'show', '--tenant', tenant, '--json'))).secret

async function newTenant(env: Record<string, string>): Promise<string> {
  return (await json(vidimus(env, 'tenant', 'create', '--name', 'Shop', '--json'))).id
}

test('with the key in the environment, rotation is refused until every process has both keys; then the old key is no longer needed', async () => {
  const next = randomBytes(32).toString('base64')
  const old = { DATABASE_URL: url, VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64') }
  const both = { DATABASE_URL: url, VIDIMUS_MASTER_KEY: next, VIDIMUS_MASTER_KEYS_READABLE: old.VIDIMUS_MASTER_KEY }
  const alone = { DATABASE_URL: url, VIDIMUS_MASTER_KEY: next }
  const tenant = await newTenant(old)
  const secret = await secretOf(old, tenant)

  const replicas = await startReplicas(url, 1)
  const refused = await vidimus(both, 'master-key', 'rotate')
  await replicas.stop()
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^a running process cannot decrypt [^\n]+\n$/)

  const prepared = await startReplicas(url, 1, { VIDIMUS_MASTER_KEYS_READABLE: next })
  const early = await vidimus(both, 'master-key', 'rotate')
  assert.equal(early.code, 1, early.stdout)
  assert.match(early.stdout, /A running process still seals with another key/)
  assert.match(early.stderr, /webhook_secrets.secret: 1 sealed again/)
  await prepared.stop()

  const done = await vidimus(both, 'master-key', 'rotate')
  assert.equal(done.code, 0, done.stderr)
  assert.match(done.stdout, /Nothing is left under another key: \d+ values in \d+ columns/)
  assert.equal(await secretOf(alone, tenant), secret)
  const lost = await vidimus(old, 'webhook-secret', 'show', '--tenant', tenant)
  assert.equal(lost.code, 1)
  assert.match(lost.stderr, /^master key: it is not the right one: [^\n]+\n$/)
  const { seals } = await json(vidimus(alone, 'master-key', 'show', '--json'))
  assert.match(seals, /^[0-9a-f]{8}$/)
  assert.equal(
    (await vidimus(alone, 'master-key', 'rotate', '--new')).code,
    2,
    'with the key in the environment there is no key file to add one to',
  )
})

test('with the key in the data directory, rotation creates a new key, seals everything again, and keeps the old key in another file', async () => {
  const path = join(dataDir, 'master.key')
  const tenant = await newTenant({})
  const secret = await secretOf({}, tenant)
  const before = await readFile(path, 'utf8')
  const rotated = await vidimus({}, 'master-key', 'rotate', '--new')
  assert.equal(rotated.code, 0, rotated.stderr)
  assert.match(rotated.stdout, /Nothing is left under another key/)
  const after = await readFile(path, 'utf8')
  assert.notEqual(after, before)
  assert.equal(after.trim().split('\n').length, 1)
  assert.equal(await readFile(`${path}.retired`, 'utf8'), before)
  for (const file of [path, `${path}.retired`]) assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.equal(await secretOf({}, tenant), secret)

  // The state that a kill leaves after the new key was created.
  await writeFile(path, `${randomBytes(32).toString('base64')}\n${after}`)
  assert.equal(await secretOf({}, tenant), secret, 'both are read')
  const resumed = await vidimus({}, 'master-key', 'rotate')
  assert.equal(resumed.code, 0, resumed.stderr)
  assert.equal(await readFile(`${path}.retired`, 'utf8'), after + before)
  assert.equal(await secretOf({}, tenant), secret)

  await writeFile(path, `${Buffer.alloc(32, 7).toString('base64')}\n`)
  const weak = await vidimus({}, 'master-key', 'show')
  assert.equal(weak.code, 1)
  assert.match(
    weak.stderr,
    /^master key: the first key in [^\n]+ repeats the same bytes; put a new one on a line before it: make one with `openssl rand -base64 32`\n$/,
  )
})
