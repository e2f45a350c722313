// Tests `vidimus template`, `settings` and `audit` in real processes; an export is verified without a store.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { keepOldCheckpoint } from '../harness/log/old-checkpoints.ts'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { commandLine, commandLineWithoutStore } from '../harness/servers/command-line.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const service = await testService()
const folder = await mkdtemp(join(tmpdir(), 'vidimus-trail-'))
after(() => rm(folder, { recursive: true }))
const run = promisify(execFile)

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const COMMAND_OVERRIDES = { DATABASE_URL: service.url, VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64') }
const vidimus = (...args: string[]) => exec(args, COMMAND_OVERRIDES)
/** Runs a command in this process, for cases where a separate process proves nothing more. */
const cli = commandLine(service)

/** Runs only the program, without a store or a key. */
const offlineProcess = (...args: string[]) => exec(args, { DATABASE_URL: 'postgres://127.0.0.1:1/none' })
const { run: offline } = commandLineWithoutStore()

async function exec(args: readonly string[], env: Record<string, string>): Promise<Ran> {
  try {
    const { stdout, stderr } = await run(process.execPath, [MAIN, ...args], {
      env: { ...BARE_ENVIRONMENT, ...env },
    })
    return { code: 0, stdout, stderr }
  } catch (error) {
    return error as Ran
  }
}

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const QUERY = {
  credentials: [
    { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['family_name'] }] },
  ],
}

test('a new template can be used at once, is listed with the built-in ones, and removed', async () => {
  const tenant = await service.tenant()
  const key = await service.key(tenant)
  const create = () => service.call('POST', '/v1/verifications', { key, body: { template: 'surname' } })
  const document = await file('surname.json', JSON.stringify({ title: 'Surname', query: QUERY }))
  const put = await vidimus('template', 'put', 'surname', '--tenant', tenant, '--file', document)
  assert.equal(put.code, 0, put.stderr)
  assert.equal((await create()).status, 201)
  const { data } = await cli.json('template', 'list', '--tenant', tenant)
  assert.deepEqual(
    data.filter((one: { built_in: boolean }) => !one.built_in).map((one: { key: string }) => one.key),
    ['surname'],
  )
  assert.equal(data.length, 10)
  assert.equal((await vidimus('template', 'remove', 'surname', '--tenant', tenant)).code, 0)
  assert.equal((await create()).status, 422)
  assert.equal((await cli.run('template', 'remove', 'surname', '--tenant', tenant)).code, 2)
})

test('an invalid template is refused with the path of the problem', async () => {
  const tenant = await service.tenant()
  const bad = { query: { credentials: [{ ...QUERY.credentials[0], claims: [{ path: [] }] }] } }
  const refused = await cli.run(
    'template',
    'put',
    'x',
    '--tenant',
    tenant,
    '--file',
    await file('bad.json', JSON.stringify(bad)),
  )
  assert.equal(refused.code, 2)
  assert.match(refused.err, /query\.credentials\[0\]\.claims\[0\]\.path: must not be empty/)
  const good = await file('good.json', JSON.stringify({ query: QUERY }))
  assert.match((await cli.run('template', 'put', 'identity', '--tenant', tenant, '--file', good)).err, /built-in/)
  assert.match((await cli.run('template', 'put', 'x', '--tenant', 'ten_none', '--file', good)).err, /no tenant/)
})

test('settings are shown, and changed one by one', async () => {
  const tenant = await service.tenant()
  const shown = JSON.parse((await cli.run('settings', tenant, '--json')).out)
  assert.equal(shown.retention_days, 30)
  const changed = await cli.run('settings', tenant, '--retention-days', '7', '--haip', 'on', '--json')
  const { in_effect: _, ...before } = shown
  const { in_effect: inEffect, ...stored } = JSON.parse(changed.out)
  assert.deepEqual(stored, { ...before, retention_days: 7, haip: true })
  assert.deepEqual(inEffect, stored)
  assert.equal((await cli.run('settings', tenant, '--retention-days', '0')).code, 2)
  assert.equal((await cli.run('settings', 'ten_none')).code, 2)
})

test('settings show what is in effect if HAIP overrides the stored value', async () => {
  const tenant = await service.tenant()
  const other = ['--client-id-prefix', 'x509_san_dns', '--response-mode', 'direct_post']
  const off = JSON.parse((await cli.run('settings', tenant, ...other, '--json')).out)
  assert.deepEqual([off.in_effect.client_id_prefix, off.in_effect.response_mode], ['x509_san_dns', 'direct_post'])
  assert.doesNotMatch((await cli.run('settings', tenant)).out, /Where they differ, HAIP/)
  const everywhere = await exec(['settings', tenant, '--json'], { ...COMMAND_OVERRIDES, VIDIMUS_HAIP: 'on' })
  assert.equal(JSON.parse(everywhere.stdout).in_effect.client_id_prefix, 'x509_hash', 'where it is on for all')
  const on = JSON.parse((await cli.run('settings', tenant, '--haip', 'on', '--json')).out)
  assert.deepEqual([on.client_id_prefix, on.response_mode], ['x509_san_dns', 'direct_post'])
  assert.deepEqual([on.in_effect.client_id_prefix, on.in_effect.response_mode], ['x509_hash', 'direct_post.jwt'])
  const { out: stdout } = await cli.run('settings', tenant)
  assert.match(stdout, /^SETTING +STORED +IN EFFECT$/m)
  assert.match(stdout, /^client_id_prefix +x509_san_dns +x509_hash$/m)
  assert.match(stdout, /Where they differ, HAIP/)
})

test('a chain is exported and verified without a store; every fault has its exit code', async () => {
  const tenant = await service.tenant()
  const key = await service.key(tenant)
  for (let i = 0; i < 5; i += 1)
    await service.call('POST', '/v1/verifications', { key, body: { template: 'identity' } })
  const realm = ['--tenant', tenant, '--environment', 'test']
  const path = join(folder, 'chain.ndjson')
  assert.equal((await vidimus('audit', 'export', ...realm, '--out', path)).code, 0)
  const pem = await file('key.pem', (await cli.run('audit', 'key')).out)
  const note = await file('note', (await cli.run('audit', 'checkpoint', ...realm)).out)
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  const verify = async (kept: readonly string[], ...more: string[]) =>
    offline('audit', 'verify', '--export', await file('given', `${kept.join('\n')}\n`), '--public-key', pem, ...more)

  const whole = await verify(lines, '--checkpoint', note)
  assert.equal(whole.code, 0, whole.err)
  assert.match(whole.out, /whole: 7 entries, 2 checkpoints/)
  const removed = await verify(lines.toSpliced(4, 1))
  assert.equal(removed.code, 1)
  assert.match(removed.err, /tampered: entry 4 is missing/)
  const cut = await verify(lines.slice(0, -3), '--checkpoint', note)
  assert.equal(cut.code, 2)
  assert.match(cut.err, /incomplete: entry 5 .* covers 7 entries/)
  assert.equal((await verify(lines.slice(0, -1))).code, 2)
  const foreign = await file('other.pem', await otherKey())
  assert.equal((await offlineProcess('audit', 'verify', '--export', path, '--public-key', foreign)).code, 4)
  assert.equal((await offline('audit', 'verify', '--export', path)).code, 3)
  assert.equal((await offline('audit', 'verify')).code, 3)
  assert.equal((await offline('audit', 'verify', '--nonsense')).code, 3)
  assert.equal((await offline('audit', 'verify', '--export', join(folder, 'absent'), '--public-key', pem)).code, 3)
  assert.equal((await cli.run('audit', 'verify', ...realm, '--checkpoint', note)).code, 0)
  assert.deepEqual(await cli.json('audit', 'checkpoints', ...realm), { checkpoints: [] })
  await keepOldCheckpoint(service.deps, { tenantId: tenant, environment: 'test' })
  const kept = (await cli.run('audit', 'checkpoints', ...realm)).out
  assert.match(kept, new RegExp(`^vidimus-audit/${tenant}/test\n7\n`))
  assert.equal((await verify(lines, '--checkpoint', await file('kept', kept))).code, 0)
})

async function otherKey(): Promise<string> {
  const { generateKeyPairSync } = await import('node:crypto')
  return generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }).toString()
}
