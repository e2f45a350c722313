// Tests that Web Crypto verifies proofs and exports of a real service, and refuses changed ones.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { type LogKeys, verifyAuditExport, verifyReceiptProof } from '@vidimus/sdk'
import { exportAudit } from '../../src/features/audit/usecases/read-audit.ts'
import { verifyExport } from '../../src/features/audit/usecases/verify-audit.ts'
import { renderNoteKey } from '../../src/platform/signed-note.ts'
import { runJob } from '../harness/jobs.ts'
import { logKey } from '../harness/log/log-mirror.ts'
import { startWitness } from '../harness/servers/witness.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'

const folder = await mkdtemp(join(tmpdir(), 'vidimus-sdk-proofs-'))
const witness = await startWitness(join(folder, 'w'))
after(async () => {
  await witness.kill('SIGTERM')
  await rm(folder, { recursive: true })
})
const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8', VIDIMUS_WITNESSES: witness.setting })
const wallet = await testWallet(service)
const tenantId = await service.tenant()
const realm = { tenantId, environment: 'test' } as const
const key = await service.key(tenantId)
const ids: string[] = []
for (let i = 0; i < 5; i += 1) {
  const created = await create(service, key, { template: 'identity', purpose: `Parcel ${i}` })
  await wallet.present(created.wallet_uri, i === 0 ? 'good' : 'declined')
  ids.push(created.id)
}
await service.call('DELETE', `/v1/verifications/${ids[1]}`, { key })
await runJob(service.deps, 'keep-log')
const [id = ''] = ids
const get = async (path: string) => (await service.call('GET', path, { key })).text
const receipt = await get(`/v1/verifications/${id}/receipt`)
const proof = await get(`/v1/verifications/${id}/receipt.tlog-proof`)
const log = await get('/log/key')
const keys: LogKeys = { log, witnesses: [renderNoteKey(witness.key)] }
const exported = await Array.fromAsync(exportAudit(service.deps, realm))
const nodeKeys = { log: await logKey(service), witnesses: [witness.key] }
const stored = (lines: readonly string[], notes: readonly string[] = []) =>
  verifyExport({
    lines: async function* () {
      yield* lines
    },
    publicKey: null,
    notes,
    logKeys: nodeKeys,
  })

const flipped = (text: string, at: number) => `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`

test('L09 a proof verifies with the keys of the log and its witness, and names the path and the witnesses', async () => {
  const proven = await verifyReceiptProof(proof, receipt, keys)
  assert.equal(proven.origin, 'verify.example.com/log')
  assert.deepEqual(
    proven.cosigned.map((one) => one.witness),
    ['witness.example/w'],
  )
  assert.ok(proven.index < proven.size && proven.way.length > 0)
  assert.deepEqual((await verifyReceiptProof(proof, receipt, { log })).cosigned, [], 'only witnesses that were named')
})

test('L06 L09 a changed receipt, index, hash, root, signature or key is not a proof', async () => {
  const lines = proof.split('\n')
  const blank = lines.indexOf('')
  const changed = (line: number, text: string) => lines.with(line, text).join('\n')
  const line = (at: number) => lines[at] ?? ''
  const cases: [file: string, jws: string, logKeys: LogKeys, code: string][] = [
    [proof, flipped(receipt, 200), keys, 'not_included'],
    // A batch has no fixed order, so the leaf's index may be 0.
    [changed(1, line(1) === 'index 0' ? 'index 1' : 'index 0'), receipt, keys, 'not_included'],
    [changed(1, 'index 99'), receipt, keys, 'not_included'],
    [changed(2, flipped(line(2), 5)), receipt, keys, 'not_included'],
    [lines.toSpliced(2, 1).join('\n'), receipt, keys, 'not_included'],
    [changed(blank + 3, flipped(line(blank + 3), 5)), receipt, keys, 'not_signed'],
    [changed(blank + 2, '8'), receipt, keys, 'not_signed'],
    [changed(blank + 5, flipped(line(blank + 5), line(blank + 5).length - 20)), receipt, keys, 'not_signed'],
    [proof, receipt, { log: renderNoteKey({ ...witness.key }) }, 'bad_key'],
    [proof, receipt, { log, witnesses: [log] }, 'bad_key'],
    [proof, receipt, { log: flipped(log, log.length - 20) }, 'bad_key'],
    [changed(0, 'c2sp.org/tlog-proof@v2'), receipt, keys, 'malformed'],
    [proof.replaceAll('\n\n', '\n'), receipt, keys, 'malformed'],
    ['', receipt, keys, 'malformed'],
  ]
  for (const [file, jws, logKeys, code] of cases) {
    await assert.rejects(verifyReceiptProof(file, jws, logKeys), { code }, `${code}: ${file.slice(0, 60)}`)
  }
})

test('L06 a changed cosignature does not count', async () => {
  const lines = proof.trimEnd().split('\n')
  const last = lines.at(-1) ?? ''
  const spoiled = `${lines.with(-1, flipped(last, last.length - 20)).join('\n')}\n`
  assert.deepEqual((await verifyReceiptProof(spoiled, receipt, keys)).cosigned, [])
})

test('Web Crypto and the service both find that an export is complete and that the log has its head', async () => {
  const whole = await verifyAuditExport(exported.join('\n'), keys)
  assert.deepEqual([whole.tenant, whole.environment], [tenantId, 'test'])
  assert.equal(whole.entries, exported.filter((line) => line.startsWith('{"seq"')).length)
  assert.ok(whole.detailsErased > 0)
  assert.equal(whole.logged.cosigned.length, 1)
  assert.equal(whole.checkpointsNotChecked, 1)
  const verdict = await stored(exported)
  assert.ok(verdict.outcome === 'whole', JSON.stringify(verdict))
  assert.equal(verdict.notChecked, 1)
  const { checkpoint } = JSON.parse(exported.at(-1) ?? '')
  assert.equal((await stored(exported, [checkpoint])).outcome, 'untrusted', 'a kept checkpoint needs its key')
  assert.deepEqual(
    [verdict.logged?.seq, verdict.logged?.index, verdict.logged?.cosigned.length],
    [whole.logged.seq, whole.logged.index, 1],
  )
})

test('Web Crypto and the service refuse an export that was edited, truncated or reordered, or that lost its proof', async () => {
  const at = exported.findIndex((line) => line.includes('verification.created') && line.includes('"details":{'))
  const entry = exported[at] ?? assert.fail()
  const header = JSON.parse(exported[0] ?? '')
  const { log: _, ...unlogged } = header
  const lastEntry = exported.findLastIndex((line) => line.startsWith('{"seq"'))
  const cases: Readonly<Record<string, readonly string[]>> = {
    'an entry edited': exported.with(at, entry.replace('verification.created', 'verification.failed0')),
    'details edited': exported.with(at, entry.replace('Parcel', 'Packet')),
    'a hash edited': exported.with(at, entry.replace(/"hash":"./, '"hash":"g')),
    'an entry removed': exported.toSpliced(at, 1),
    'two in another order': exported.with(at, exported[at + 1] ?? '').with(at + 1, entry),
    'its end cut off': exported.toSpliced(lastEntry, 1),
    'details gone without an erasure': exported.with(at, entry.replace(/,"salt":.*\}$/, '}')),
    'the proof of another chain': exported.with(0, JSON.stringify({ ...header, tenant: 'ten_other' })),
    'another salt': exported.with(0, JSON.stringify({ ...header, log: { ...header.log, salt: '0'.repeat(64) } })),
    'no proof': exported.with(0, JSON.stringify(unlogged)),
    'no header': exported.slice(1),
  }
  for (const [what, lines] of Object.entries(cases)) {
    await assert.rejects(verifyAuditExport(lines.join('\n'), keys), /./, what)
    assert.notEqual((await stored(lines)).outcome, 'whole', what)
  }
})
