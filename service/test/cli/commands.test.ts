// The command line as a person or a script uses it: a real process beside a real store.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const service = await testService()
const run = promisify(execFile)

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

test('a tenant and a key made on the command line work against the running service at once', async () => {
  const tenant = await json(['tenant', 'create', '--name', 'Corner shop', '--plan', 'starter'])
  assert.match(tenant.id, /^ten_/)
  const made = await json([
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
  assert.match(made.id, /^key_/)
  assert.match(made.key, /^vk_live_/)
  assert.deepEqual(made.scopes, ['verifications:read'])
  const answer = await service.call('GET', '/v1/usage', { key: made.key })
  assert.equal(answer.json.daily_quota, 1000)
  assert.equal((await json(['usage', '--tenant', tenant.id])).daily_quota, 1000)

  await json(['tenant', 'update', tenant.id, '--daily-quota', '3'])
  assert.equal((await service.call('GET', '/v1/usage', { key: made.key })).json.daily_quota, 3)
  await json(['tenant', 'update', tenant.id, '--daily-quota', 'plan', '--plan', 'free'])
  assert.equal(
    (await json(['tenant', 'list'])).data.find((row: { id: string }) => row.id === tenant.id).daily_quota,
    100,
  )

  const { data } = await json(['key', 'list', '--tenant', tenant.id])
  assert.equal(data.length, 1)
  assert.ok(!JSON.stringify(data).includes(made.key.slice(12)))
  await json(['key', 'revoke', made.id, '--tenant', tenant.id])
  assert.equal((await service.call('GET', '/v1/usage', { key: made.key })).status, 401)
})

test('a key without named scopes may do everything but delete', async () => {
  const tenant = await json(['tenant', 'create', '--name', 'Shop'])
  const made = await json(['key', 'create', '--tenant', tenant.id])
  assert.deepEqual(made.scopes, ['verifications:create', 'verifications:read', 'devices:manage'])
  assert.equal(made.expires_at, null)
})

test('a mistake in the call is exit code 2 with one clear line, and nothing is changed', async () => {
  const before = (await json(['tenant', 'list'])).data.length
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
    const { code, stdout, stderr } = await vidimus(args)
    assert.equal(code, 2, `${args.join(' ')}: ${stderr}`)
    assert.equal(stdout, '')
    assert.ok(stderr.length > 0)
    assert.doesNotMatch(stderr, /\n {4}at /)
  }
  assert.equal((await json(['tenant', 'list'])).data.length, before)
})

test('doctor says what is wrong and how to mend it', async () => {
  const well = await vidimus(['doctor', '--json'])
  assert.equal(well.code, 0, well.stderr)
  const { findings } = JSON.parse(well.stdout)
  for (const area of ['configuration', 'store', 'schema', 'clock']) {
    assert.equal(findings.find((finding: { area: string }) => finding.area === area)?.status, 'ok', area)
  }
  const ill = await vidimus(['doctor'], { PORT: 'x', VIDIMUS_RATE_KEY: 'y' })
  assert.equal(ill.code, 2)
  assert.match(ill.stdout, /PORT/)
  assert.match(ill.stdout, /VIDIMUS_RATE_KEY/)
  const away = await vidimus(['doctor'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
  assert.equal(away.code, 2)
  assert.match(away.stdout, /FAIL {2}store/)
})

test('a bad configuration is told whole, without a stack', async () => {
  const { code, stderr } = await vidimus(['tenant', 'list'], { PORT: '-1', VIDIMUS_LOG_LEVEL: 'loud' })
  assert.equal(code, 1)
  assert.match(stderr, /PORT: /)
  assert.match(stderr, /VIDIMUS_LOG_LEVEL: /)
})

test('migrate on a store that is up to date changes nothing', async () => {
  assert.deepEqual((await json(['migrate'])).applied, [])
})
