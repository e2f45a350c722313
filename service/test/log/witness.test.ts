// Tests witnesses: what they refuse, what they remember through kill -9, and what the service learns from them.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import test, { after } from 'node:test'
import { signTreeHead } from '../../src/features/transparency/domain/log/checkpoint.ts'
import { cosign, openCosignature } from '../../src/features/transparency/domain/log/cosignature.ts'
import { receiptLeaf } from '../../src/features/transparency/domain/log/leaves.ts'
import { consistencyRanges, leafHash } from '../../src/features/transparency/domain/log/merkle.ts'
import { verifyProof } from '../../src/features/transparency/domain/log/proof-file.ts'
import { renderSubmission } from '../../src/features/transparency/domain/log/submission.ts'
import { growTiles, hashOfLeaves, keyOfTile } from '../../src/features/transparency/domain/log/tiles.ts'
import { askWitnesses } from '../../src/features/transparency/usecases/ask-witnesses.ts'
import { diagnoseLog, readWitnesses } from '../../src/features/transparency/usecases/diagnose-log.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { maintainLog } from '../../src/features/transparency/usecases/maintain-log.ts'
import {
  noteSigner,
  readNote,
  readSignatureLine,
  renderNoteKey,
  signatureLine,
} from '../../src/platform/signed-note.ts'
import { logKey, mirrorLog } from '../harness/log/log-mirror.ts'
import { startWitness, TEST_LOG, witnessProcess } from '../harness/servers/witness.ts'
import { type TestService, testService } from '../harness/service.ts'
import { once } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'

const folder = await mkdtemp(join(tmpdir(), 'vidimus-witness-'))
after(() => rm(folder, { recursive: true }))

/** Builds a log in memory. Another `word` gives another history. */
function historyOf(word: string) {
  const leaves = Array.from({ length: 40 }, (_, i) => leafHash(Buffer.from(`${i < 5 ? 'shared' : word} ${i}`)))
  const tiles = new Map(growTiles(0, leaves, () => new Uint8Array(0)).map((tile) => [keyOfTile(tile), tile.hashes]))
  const hashOf = (range: { from: number; to: number }) =>
    hashOfLeaves(range, (tile) => tiles.get(keyOfTile(tile)) ?? new Uint8Array(0))
  const checkpoint = (size: number, signer = TEST_LOG) =>
    signTreeHead({ size, root: hashOf({ from: 0, to: size }) }, signer)
  return {
    checkpoint,
    submission: (old: number, size: number, signer = TEST_LOG) =>
      renderSubmission({ old, proof: consistencyRanges(old, size).map(hashOf), checkpoint: checkpoint(size, signer) }),
  }
}

const real = historyOf('real')
const other = historyOf('other')

test('L07 a witness answers with the size it knows, and cosigns from that size', async () => {
  const witness = await startWitness(join(folder, 'l07'))
  try {
    const first = await witness.submit(real.submission(0, 10))
    assert.equal(first.status, 200)
    const line = readSignatureLine(first.text.trimEnd()) ?? assert.fail(first.text)
    const { text } = readNote(real.checkpoint(10)) ?? assert.fail()
    assert.equal(openCosignature(text, line, witness.key)?.witness, 'witness.example/w')
    assert.deepEqual(await witness.submit(real.submission(0, 20)), {
      status: 409,
      type: 'text/x.tlog.size',
      text: '10\n',
    })
    assert.equal((await witness.submit(real.submission(10, 20))).status, 200)
    assert.equal(
      (await witness.submit(real.submission(20, 20))).status,
      200,
      'the same checkpoint again, with a newer time',
    )
  } finally {
    await witness.kill('SIGTERM')
  }
})

test('L08 a witness refuses an older checkpoint and a fork, also after kill -9', async () => {
  const place = join(folder, 'l08')
  const before = await startWitness(place)
  assert.equal((await before.submit(real.submission(0, 10))).status, 200)
  assert.equal((await before.submit(real.submission(10, 20))).status, 200)
  await before.kill('SIGKILL')
  const witness = await startWitness(place)
  try {
    assert.equal(witness.key.id.toString('hex'), before.key.id.toString('hex'), 'its key is kept')
    const refused: readonly [string, string, number][] = [
      ['an older tree', real.submission(10, 10), 409],
      ['the newest tree, submitted from the empty one', real.submission(10, 20).replace('old 10', 'old 0'), 409],
      ['an older tree, submitted from the newest size', real.submission(0, 10).replace('old 0', 'old 20'), 400],
      ['another tree of the same size', other.submission(20, 20), 409],
      ['a larger tree of another history', other.submission(20, 30), 422],
      ['no proof', renderSubmission({ old: 20, proof: [], checkpoint: real.checkpoint(30) }), 422],
      ['another key', real.submission(20, 30, noteSigner(TEST_LOG.name, 0x01, Buffer.alloc(32, 1))), 403],
      ['another log', real.submission(20, 30, noteSigner('other.example/log', 0x01, Buffer.alloc(32, 1))), 404],
      ['no submission', 'old 20\nx\n\n', 400],
      ['too much', `old 20\n\n${'x'.repeat(100_000)}`, 413],
    ]
    for (const [what, body, status] of refused) {
      const answer = await witness.submit(body).catch(() => ({ status: 413 }))
      assert.equal(answer.status, status, what)
    }
    assert.equal((await fetch(`${witness.url}/`)).status, 404)
    // The witness accepts one of two concurrent submissions that extend its checkpoint.
    const both = await Promise.all([witness.submit(real.submission(20, 30)), witness.submit(real.submission(20, 31))])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
  } finally {
    await witness.kill('SIGTERM')
  }
})

test('a second witness does not start on the folder of a running witness', async () => {
  const place = join(folder, 'taken')
  const witness = await startWitness(place)
  try {
    const second = witnessProcess(place, 'witness.example/w')
    const [code] = await once(second, 'exit')
    assert.notEqual(code, 0)
  } finally {
    await witness.kill('SIGTERM')
  }
})

async function witnessed(name: string) {
  const witness = await startWitness(join(folder, name))
  const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8', VIDIMUS_WITNESSES: witness.setting })
  const wallet = await testWallet(service)
  const key = await service.key(await service.tenant())
  const end = async () => {
    const created = await create(service, key)
    await wallet.present(created.wallet_uri, 'declined')
    return created.id
  }
  return { witness, service, key, end }
}

const run = (service: TestService, name: string, text: string) => service.deps.db.query({ name: `test_${name}`, text })

test('L07 L09 the service gets cosignatures, also after it lost what the witness had seen, and its proofs name the witness', async () => {
  const { witness, service, key, end } = await witnessed('service')
  try {
    const id = await end()
    await maintainLog(service.deps)
    await end()
    await run(service, 'forget_witness', 'delete from log_witnesses')
    await maintainLog(service.deps)
    const jws = (await service.call('GET', `/v1/verifications/${id}/receipt`, { key })).text
    const { text } = await service.call('GET', `/v1/verifications/${id}/receipt.tlog-proof`, { key })
    const verdict = verifyProof(text, receiptLeaf(jws), { log: await logKey(service), witnesses: [witness.key] })
    assert.ok(verdict.outcome === 'included')
    assert.deepEqual(
      verdict.cosigned.map(({ witness: name }) => name),
      ['witness.example/w'],
    )
    const findings = await diagnoseLog(service.deps)
    assert.ok(
      findings.every(({ status }) => status === 'ok'),
      JSON.stringify(findings),
    )
    assert.match(
      await service.deps.metrics.registry.metrics(),
      /vidimus_log_witness_cosigned\{witness="witness\.example\/w"\} 1/,
    )
    await witness.kill('SIGKILL')
    await end()
    await maintainLog(service.deps)
    await mirrorLog(service)
    const [, diagnosis] = await diagnoseLog(service.deps)
    assert.match(diagnosis?.finding ?? '', /unreachable; last cosigned/)
  } finally {
    await witness.kill('SIGKILL')
  }
})

const LOG_TABLES = ['log_heads', 'log_tiles', 'log_chain_heads', 'log_blinded_heads', 'log_witnesses', 'receipts']

test('a restored backup is detected before anything is signed on top of it, and reported', async () => {
  const { witness, service, end } = await witnessed('restored')
  try {
    await end()
    await maintainLog(service.deps)
    for (const table of LOG_TABLES)
      await run(service, `backup_${table}`, `create table backup_${table} as table ${table}`)
    await end()
    await maintainLog(service.deps)
    const newest = await mirrorLog(service)
    await run(service, 'unguard', 'alter table log_blinded_heads disable trigger user')
    for (const table of LOG_TABLES) {
      await run(service, `empty_${table}`, `delete from ${table}`)
      await run(service, `restore_${table}`, `insert into ${table} select * from backup_${table}`)
    }
    const restored = await mirrorLog(service)
    assert.ok(restored.size < newest.size)
    await end()
    await maintainLog(service.deps)
    assert.equal(
      (await mirrorLog(service)).checkpoint.split('\n\n')[0],
      restored.checkpoint.split('\n\n')[0],
      'nothing was signed',
    )
    const [finding] = await diagnoseLog(service.deps)
    assert.equal(finding?.status, 'problem')
    assert.match(
      finding?.finding ?? '',
      new RegExp(`has seen ${newest.size} leaves and the store holds ${restored.size}`),
    )
    assert.match(await service.deps.metrics.registry.metrics(), /vidimus_log_halted 1/)
  } finally {
    await witness.kill('SIGTERM')
  }
})

test('the service ignores a line that the witness did not sign, and does not halt if the witness has seen more than this process', async () => {
  const named = noteSigner('witness.example/w', 0x04, Buffer.alloc(32, 9))
  const impostor = noteSigner('witness.example/w', 0x04, Buffer.alloc(32, 10))
  let answer = async (_body: string) => ({ status: 500, text: '' })
  const server = createServer(async (request, response) => {
    const { status, text } = await answer(await textOf(request))
    response.writeHead(status).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const setting = `${renderNoteKey(named)} http://127.0.0.1:${address.port}`
  const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8', VIDIMUS_WITNESSES: setting })
  const stateNow = async () => (await readWitnesses(service.deps)).map(({ state }) => state)
  try {
    await service.tenant()
    await growLog(service.deps)
    answer = async (body) => {
      const { text } = readNote(body.slice(body.indexOf('\n\n') + 2)) ?? assert.fail('no checkpoint')
      const { keyId: _, ...forged } = cosign(text, 5, impostor)
      return { status: 200, text: signatureLine({ ...forged, keyId: named.id }) }
    }
    await askWitnesses(service.deps)
    assert.deepEqual(await stateNow(), ['refused'])
    assert.equal((await mirrorLog(service)).checkpoint.split('— ').length, 2, 'only the log has signed')
    const { size } = await mirrorLog(service)
    // Another replica extends the log in between, and the witness has seen that.
    answer = async () => {
      await service.tenant()
      await growLog(service.deps)
      return { status: 409, text: `${size + 1}\n` }
    }
    await askWitnesses(service.deps)
    const [finding] = await diagnoseLog(service.deps)
    assert.equal(finding?.status, 'ok', finding?.finding ?? '')
  } finally {
    server.close()
  }
})
