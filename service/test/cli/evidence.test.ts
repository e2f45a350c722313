// Tests `vidimus receipt` and `vidimus audit verify` with only files and public keys, as an auditor has them.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test, { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { mirrorLog } from '../harness/log/log-mirror.ts'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { commandLine, commandLineWithoutStore } from '../harness/servers/command-line.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const service = await testService()
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)
const folder = await mkdtemp(join(tmpdir(), 'vidimus-evidence-'))
after(() => rm(folder, { recursive: true }))
const run = promisify(execFile)

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function exec(args: readonly string[], env: Record<string, string>): Promise<Ran> {
  try {
    return { code: 0, ...(await run(process.execPath, [MAIN, ...args], { env: { ...BARE_ENVIRONMENT, ...env } })) }
  } catch (error) {
    return error as Ran
  }
}

/** Runs a separate process: next to the service, or with only the program, without store and keys. */
const asProcess = {
  sharing: (...args: string[]) =>
    exec(args, { DATABASE_URL: service.url, VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64') }),
  offline: (...args: string[]) => exec(args, { DATABASE_URL: 'postgres://127.0.0.1:1/none' }),
}
/** Runs a command in this process, for cases where a separate process proves nothing more. */
const { run: second } = commandLine(service)
const { run: offline } = commandLineWithoutStore()

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  return path
}

const created = await create(service, key, { template: 'identity', purpose: 'Parcel 1', metadata: { order: 'A' } })
await wallet.present(created.wallet_uri)
const read = await service.call('GET', `/v1/verifications/${created.id}`, { key })
const salt = String(read.headers['x-vidimus-receipt-salt'])
const get = async (path: string) => (await service.call('GET', path, { key })).text
await growLog(service.deps)
const receipt = await file('receipt', await get(`/v1/verifications/${created.id}/receipt`))
const keys = await file('keys.json', await get('/log/receipt-keys'))
const result = await file('result.json', read.text)
const proof = await file('proof', await get(`/v1/verifications/${created.id}/receipt.tlog-proof`))
const logKey = await get('/log/key')

test('a receipt is verified offline, and compared with its result', async () => {
  const alone = await asProcess.offline('receipt', 'verify', receipt, '--keys', keys)
  assert.equal(alone.code, 0, alone.stderr)
  assert.match(alone.stdout, new RegExp(`genuine: ${created.id} \\(test\\) was accepted`))
  assert.match(alone.stdout, /does not show the result/)
  assert.match(alone.stdout, new RegExp(`of the tenant ${tenant}, from https://verify\\.example\\.com\\.`))
  const bound = await offline('receipt', 'verify', receipt, '--keys', keys, '--result', result, '--salt', salt)
  assert.match(bound.out, /about exactly this result: id, status, template, purpose, claims, credentials, responded_at/)
  assert.match(bound.out, /does not cover these members: metadata, created_at, expires_at\./)
  const altered = await file('altered.json', read.text.replace(/"claims":\{/, '"claims":{"added":true,'))
  const other = await offline('receipt', 'verify', receipt, '--keys', keys, '--result', altered, '--salt', salt)
  assert.equal(other.code, 1)
  assert.match(other.err, /not about this result/)
  const { template, purpose, status, responded_at } = JSON.parse(read.text)
  for (const [name, change] of Object.entries({
    template: [template, 'age_over_65'],
    purpose: [purpose, 'Consent to a loan'],
    status: [status, 'failed'],
    responded_at: [responded_at, '2020-01-01T00:00:00Z'],
  })) {
    const [from = '', to = ''] = change
    const path = await file(`${name}.json`, read.text.replace(JSON.stringify(from), JSON.stringify(to)))
    const refused = await offline('receipt', 'verify', receipt, '--keys', keys, '--result', path, '--salt', salt)
    assert.deepEqual([refused.code, refused.err.includes(`another ${name}`)], [1, true], refused.err)
  }
  for (const [from, to] of [
    ['"claims":', '"claims":{"age_over_65":true},"claims":'],
    ['{', '{"given_name":"Erika",'],
  ] as const) {
    const path = await file('ambiguous.json', read.text.replace(from, to))
    const refused = await offline('receipt', 'verify', receipt, '--keys', keys, '--result', path, '--salt', salt)
    assert.deepEqual([refused.code, /repeats a member|given_name/.test(refused.err)], [1, true], refused.err)
  }
  assert.equal((await offline('receipt', 'verify', receipt, '--keys', keys, '--tenant', tenant)).code, 0)
  const foreign = await offline('receipt', 'verify', receipt, '--keys', keys, '--tenant', 'ten_other')
  assert.deepEqual([foreign.code, /of another tenant/.test(foreign.err)], [1, true], foreign.err)
  const unnamed = await offline('receipt', 'verify', receipt, '--keys', keys, '--evidence', proof)
  assert.deepEqual([unnamed.code, /does not name this evidence/.test(unnamed.err)], [1, true], unnamed.err)
  const none = await offline('receipt', 'verify', receipt, '--keys', await file('none.json', '{"keys":[]}'))
  assert.equal(none.code, 1)
  assert.equal((await offline('receipt', 'verify', receipt, '--keys', keys, '--result', result)).code, 2)
  const unused = await offline('receipt', 'verify', receipt, '--keys', keys, '--epoch', result)
  assert.deepEqual([unused.code, /only used with --proof/.test(unused.err)], [2, true], unused.err)
})

test('a proof is verified offline and says what it proves and what it does not', async () => {
  const ran = await offline('audit', 'verify', '--proof', proof, '--receipt', receipt, '--log-key', logKey)
  assert.equal(ran.code, 0, ran.err)
  assert.match(ran.out, /Proven:\n {2}- this receipt is leaf \d+ of the log verify\.example\.com\/log/)
  assert.match(ran.out, /Not proven:\n {2}- that everyone sees the same log/)
  const other = await offline('audit', 'verify', '--proof', proof, '--receipt', keys, '--log-key', logKey)
  assert.equal(other.code, 1)
  assert.match(other.err, /does not lead from this receipt/)
  assert.equal((await offline('audit', 'verify', '--proof', proof, '--receipt', receipt)).code, 3)
  const both = await offline(
    'audit',
    'verify',
    '--proof',
    proof,
    '--receipt',
    receipt,
    '--log-key',
    logKey,
    '--export',
    keys,
  )
  assert.deepEqual([both.code, /--export would not be used/.test(both.err)], [3, true], both.err)
})

test('a mirror of the log is verified offline, with older checkpoints and against the export of a chain', async () => {
  const { size, checkpoint } = await mirrorLog(service)
  const entries = await service.app.inject({ method: 'GET', url: `/log/tile/entries/000.p/${size}` })
  await file('mirror/checkpoint', checkpoint)
  await file(`mirror/tile/entries/000.p/${size}`, entries.rawPayload)
  const mirror = join(folder, 'mirror')
  const kept = await file('kept', checkpoint)
  const ran = await offline('audit', 'verify', '--log', mirror, '--log-key', logKey, '--checkpoint', kept)
  assert.equal(ran.code, 0, ran.err)
  assert.match(ran.out, new RegExp(`the ${size} leaves match the checkpoint`))
  assert.match(ran.out, /only grew since the 1 checkpoints/)
  const exported = join(folder, 'export')
  assert.equal(
    (await second('audit', 'export', '--tenant', tenant, '--environment', 'test', '--out', exported)).code,
    0,
  )
  const publicKey = await file('key.pem', (await second('audit', 'key')).out)
  const blinding = (await second('audit', 'blinding-key', '--tenant', tenant)).out.trim()
  const own = ['--export', exported, '--public-key', publicKey, '--blinding-key']
  const chained = await offline('audit', 'verify', '--log', mirror, '--log-key', logKey, ...own, blinding)
  assert.equal(chained.code, 0, chained.err)
  assert.match(chained.out, /the chain's first \d+ entries match its 1 heads in the log/)
  assert.doesNotMatch(chained.out, /checkpoints in the file/)
  const byLog = ['--export', exported, '--blinding-key', blinding]
  const unkeyed = await offline('audit', 'verify', '--log', mirror, '--log-key', logKey, ...byLog)
  assert.match(unkeyed.out, /Not proven:[\s\S]*that the checkpoints in the file are genuine \(1\)/, unkeyed.err)
  // Another tenant's key finds none of these.
  const strange = (await second('audit', 'blinding-key', '--tenant', await service.tenant())).out.trim()
  const nothing = await offline('audit', 'verify', '--log', mirror, '--log-key', logKey, ...own, strange)
  assert.match(nothing.out, /the log has no head of it/)
  const spoiled = Buffer.from(entries.rawPayload)
  spoiled[40] = (spoiled[40] ?? 0) ^ 1
  await file(`mirror/tile/entries/000.p/${size}`, spoiled)
  const broken = await offline('audit', 'verify', '--log', mirror, '--log-key', logKey)
  assert.equal(broken.code, 1)
  assert.match(broken.err, /Broken:\n {2}- the leaves do not match the checkpoint/)
})

test('an export is verified with only the keys of the log, and two checkpoints with a few tiles', async () => {
  const exported = join(folder, 'logged')
  assert.equal(
    (await second('audit', 'export', '--tenant', tenant, '--environment', 'test', '--out', exported)).code,
    0,
  )
  const ran = await offline('audit', 'verify', '--export', exported, '--log-key', logKey)
  assert.equal(ran.code, 0, ran.err)
  assert.match(ran.out, /The chain is whole: \d+ entries, 1 checkpoints/)
  assert.match(ran.out, /entry \d+ of the chain is leaf \d+ of the log verify\.example\.com\/log/)
  assert.match(ran.out, /Not proven:[\s\S]*that the checkpoints in the file are genuine \(1\): this needs their key/)
  const inJson = await offline('audit', 'verify', '--export', exported, '--log-key', logKey, '--json')
  assert.equal(JSON.parse(inJson.out).checkpoints_not_checked, 1)
  assert.equal((await offline('audit', 'verify', '--export', exported)).code, 3)
  // Options that would be ignored are refused.
  const garbage = await file('garbage', 'not a statement')
  for (const more of [
    ['--log-key', logKey, '--epoch', garbage],
    ['--log-key', logKey, '--blinding-key', '00'.repeat(32)],
    ['--log-key', logKey, '--tenant', tenant, '--environment', 'test'],
    ['--public-key', garbage, '--witness-key', logKey],
  ]) {
    const refused = await offline('audit', 'verify', '--export', exported, ...more)
    assert.deepEqual([refused.code, /would not be used/.test(refused.err)], [3, true], refused.err)
  }
  const publicKey = await file('chain-key.pem', (await second('audit', 'key')).out)
  const note = await file(
    'note',
    (await second('audit', 'checkpoint', '--tenant', tenant, '--environment', 'test')).out,
  )
  const ofLog = await file('of-log', await get('/log/checkpoint'))
  for (const [kept, ...by] of [
    [note, '--log-key', logKey],
    [ofLog, '--log-key', logKey],
    [garbage, '--log-key', logKey],
    [ofLog, '--public-key', publicKey],
    [garbage, '--public-key', publicKey],
  ] as const) {
    const refused = await offline('audit', 'verify', '--export', exported, ...by, '--checkpoint', kept)
    assert.deepEqual([refused.code, /checkpoints of its chain and needs/.test(refused.err)], [3, true], refused.err)
  }
  const both = ['--log-key', logKey, '--public-key', publicKey]
  const noted = await offline('audit', 'verify', '--export', exported, ...both, '--checkpoint', note)
  assert.equal(noted.code, 0, noted.err)
  assert.doesNotMatch(noted.out, /checkpoints in the file/)
  const stored = await second('audit', 'verify', '--tenant', tenant, '--environment', 'test', '--log-key', logKey)
  assert.deepEqual([stored.code, /--log-key would not be used/.test(stored.err)], [3, true], stored.err)

  const older = await file('older', (await mirrorLog(service)).checkpoint)
  for (let i = 0; i < 3; i += 1) await wallet.present((await create(service, key)).wallet_uri, 'declined')
  await growLog(service.deps)
  const { size, checkpoint } = await mirrorLog(service)
  const tile = await service.app.inject({ method: 'GET', url: `/log/tile/0/000.p/${size}` })
  await file('tiles/checkpoint', checkpoint)
  await file(`tiles/tile/0/000.p/${size}`, tile.rawPayload)
  const growth = ['audit', 'verify', '--log', join(folder, 'tiles'), '--log-key', logKey, '--from']
  const grown = await offline(...growth, older)
  assert.equal(grown.code, 0, grown.err)
  assert.match(grown.out, new RegExp(`grew from \\d+ leaves to ${size} without a break`))
  const backwards = await offline(...growth, join(folder, 'tiles', 'checkpoint'), '--to', older)
  assert.equal(backwards.code, 1)
  await file(`tiles/tile/0/000.p/${size}`, tile.rawPayload.subarray(32))
  assert.match((await offline(...growth, older)).err, /lacks tiles/)
  const spoiled = Buffer.from(tile.rawPayload)
  // The last leaf, because for a size that is a power of two the beginning is not part of the proof.
  spoiled[spoiled.length - 1] = (spoiled.at(-1) ?? 0) ^ 1
  await file(`tiles/tile/0/000.p/${size}`, spoiled)
  assert.match((await offline(...growth, older)).err, /the log was forked/)
})

test('keys are shown and changed while the service runs', async () => {
  const rotated = await asProcess.sharing('receipt', 'rotate-key', '--json')
  const { kid } = JSON.parse(rotated.stdout)
  const shown = JSON.parse((await second('receipt', 'keys', '--json')).out)
  assert.ok(shown.keys.some((one: { kid: string }) => one.kid === kid))
})
