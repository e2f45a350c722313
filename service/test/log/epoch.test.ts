// Tests a new epoch after a restore, once the store was checked and a real witness has cosigned.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { verifyReceiptProof as sdkVerifyReceiptProof } from '../../../sdk/typescript/src/log-proof.ts'
import { type EpochMark, openTreeHead, signTreeHead } from '../../src/features/transparency/domain/log/checkpoint.ts'
import { cosign } from '../../src/features/transparency/domain/log/cosignature.ts'
import {
  epochCosigners,
  fateOfTreeHead,
  isEpochSequence,
  openEpoch,
  signEpoch,
} from '../../src/features/transparency/domain/log/epoch.ts'
import { receiptLeaf } from '../../src/features/transparency/domain/log/leaves.ts'
import { consistencyRanges, leafHash } from '../../src/features/transparency/domain/log/merkle.ts'
import { renderProof } from '../../src/features/transparency/domain/log/proof-file.ts'
import { renderSubmission } from '../../src/features/transparency/domain/log/submission.ts'
import { growTiles, hashOfLeaves, keyOfTile } from '../../src/features/transparency/domain/log/tiles.ts'
import { diagnoseLog } from '../../src/features/transparency/usecases/diagnose-log.ts'
import { maintainLog } from '../../src/features/transparency/usecases/maintain-log.ts'
import { verifyConsistency } from '../../src/features/transparency/usecases/verify-consistency.ts'
import { verifyMirror, verifyReceiptProof } from '../../src/features/transparency/usecases/verify-log.ts'
import { noteSigner, readNote, readNoteKey, renderNoteKey, signatureLine } from '../../src/platform/signed-note.ts'
import { logKey, mirrorLog } from '../harness/log/log-mirror.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { type RunningWitness, startWitness, TEST_LOG } from '../harness/servers/witness.ts'
import { type TestService, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'

const folder = await mkdtemp(join(tmpdir(), 'vidimus-epoch-'))
after(() => rm(folder, { recursive: true }))

const LOG_TABLES = ['log_heads', 'log_tiles', 'log_chain_heads', 'log_witnesses', 'log_epochs', 'receipts']
const run = (service: TestService, name: string, text: string) => service.deps.db.query({ name: `test_${name}`, text })

async function backUp(service: TestService): Promise<void> {
  for (const table of LOG_TABLES)
    await run(service, `backup_${table}`, `create table backup_${table} as table ${table}`)
}

async function restore(service: TestService): Promise<void> {
  await run(service, 'unguard', 'alter table log_chain_heads disable trigger user')
  for (const table of LOG_TABLES) {
    await run(service, `empty_${table}`, `delete from ${table}`)
    await run(service, `restore_${table}`, `insert into ${table} select * from backup_${table}`)
  }
}

async function witnessed(name: string) {
  const place = join(folder, name)
  const witness = await startWitness(place)
  const setting = { VIDIMUS_WITNESSES: witness.setting, VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' }
  const service = await testService({ dataDir: join(folder, `${name}-data`) }, setting)
  const wallet = await testWallet(service)
  const key = await service.key(await service.tenant())
  const end = async () => {
    const created = await create(service, key)
    await wallet.present(created.wallet_uri, 'declined')
    return created.id
  }
  return { place, witness, service, key, end }
}

const receiptOf = async (service: TestService, key: string, id: string) => ({
  jws: (await service.call('GET', `/v1/verifications/${id}/receipt`, { key })).text,
  proof: (await service.call('GET', `/v1/verifications/${id}/receipt.tlog-proof`, { key })).text,
})

const mirrorOf = (service: TestService) => async (path: string) => {
  const answer = await service.app.inject({ method: 'GET', url: `/log/${path}` })
  return answer.statusCode === 200 ? answer.rawPayload : null
}

test("after a restore the log continues: the witness's operator accepts its statement, the witness cosigns, lost receipts are reported", async () => {
  const { place, witness: first, service, key, end } = await witnessed('flow')
  let witness: RunningWitness = first
  const cli = commandLine(service)
  try {
    const early = await end()
    await maintainLog(service.deps)
    const before = await receiptOf(service, key, early)
    await backUp(service)
    const lost = await receiptOf(service, key, await endAndKeep(service, end))
    const newest = await mirrorLog(service)
    await restore(service)
    await maintainLog(service.deps)
    const restored = await mirrorLog(service)
    assert.ok(restored.size < newest.size)

    // An operator first checks the store, then opens the epoch.
    assert.match((await diagnoseLog(service.deps))[0]?.finding ?? '', /does not serve: the witness .* has seen/)
    const REASON = ['--reason', 'Disk of the primary died; backup of 02:00 restored']
    const early1 = await cli.run('log', 'new-epoch', ...REASON)
    assert.match(early1.err, /run `vidimus restore check` first/)
    assert.equal((await cli.run('restore', 'check')).code, 3, 'without exports the command decides nothing silently')
    assert.equal((await cli.run('restore', 'check', '--accept')).code, 0)
    await maintainLog(service.deps)
    assert.match((await diagnoseLog(service.deps))[0]?.finding ?? '', /the public log is halted/)
    assert.match((await cli.run('log', 'new-epoch', '--reason', 'two\nlines')).err, /one line/)

    const statementFile = join(folder, 'statement.txt')
    const waits = await cli.run('log', 'new-epoch', ...REASON, '--out', statementFile)
    assert.equal(waits.code, 2, waits.err)
    assert.match(waits.out, /Waiting for witness\.example\/w/)
    assert.equal(
      (await service.call('GET', '/log/epoch/2')).status,
      404,
      'a statement is not published before its epoch is open',
    )
    await maintainLog(service.deps)
    assert.equal((await mirrorLog(service)).checkpoint.split('\n\n')[0], restored.checkpoint.split('\n\n')[0])
    await witness.kill('SIGKILL')
    witness = await restarted(service, place, witness)

    // The witness's operator: shown first, then decided.
    const accept = ['accept-epoch', statementFile, '--name', 'witness.example/w', '--folder', place]
    const shown = await cli.run(...accept, '--log', renderNoteKey(TEST_LOG))
    assert.match(shown.out, /Nothing was accepted/)
    assert.equal((await cli.run('log', 'new-epoch')).code, 2, 'showing it decides nothing')
    const decided = await cli.run(...accept, '--log', renderNoteKey(TEST_LOG), '--accept')
    assert.equal(decided.code, 0, decided.err)
    const opened = await cli.run('log', 'new-epoch')
    assert.equal(opened.code, 0, opened.err)
    assert.match(opened.out, /Epoch 2 is open/)

    // The log grows, and the witness follows.
    const later = await receiptOf(service, key, await endAndKeep(service, end))
    const now = await mirrorLog(service)
    assert.match(now.checkpoint, /^verify\.example\.com\/log\n\d+\n\S+\nepoch 2 \S{44}\n\n/)
    const log = await logKey(service)
    const keys = { log, witnesses: [witness.key] }
    const statement = (await service.call('GET', '/log/epoch/2')).text
    const epoch = openEpoch(statement, log) ?? assert.fail('the statement does not hold')
    assert.equal(epochCosigners(epoch, [witness.key]).length, 1)
    assert.deepEqual([epoch.restored.size, epoch.witnessed.size], [restored.size, newest.size])

    const verifyUnder = (of: typeof lost, epochs = [statement]) => verifyReceiptProof(of.proof, of.jws, keys, epochs)
    assert.equal(verifyUnder(before).outcome, 'proven')
    assert.equal(verifyUnder(later).outcome, 'proven')
    // Characters whose last byte is that of the receipt's.
    const edited = later.jws.replace(/[A-Z]/, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0x100))
    assert.equal(verifyUnder({ ...later, jws: edited }).outcome, 'broken')
    const mark = { number: 2, digest: Buffer.alloc(32, 7) }
    const forked = await signTreeHead({ size: 1, root: leafHash(receiptLeaf('x.y.z')) }, TEST_LOG, mark)
    const forkedProof = renderProof({ index: 0, hashes: [], checkpoint: forked, extra: null })
    assert.equal(verifyUnder({ jws: 'x.y.z', proof: forkedProof }).outcome, 'broken', 'of another epoch 2')
    assert.equal(verifyUnder({ jws: 'x.y.z', proof: forkedProof }, []).outcome, 'proven')
    assert.equal(verifyUnder(lost).outcome, 'lost')
    assert.match(
      verifyUnder(lost).notProven.join(),
      /lost in a restore, epoch 2: of \d+ leaves the log continued from \d+ .*Disk/,
    )
    assert.equal(
      verifyUnder(lost, []).outcome,
      'proven',
      'its old checkpoint still shows that the receipt was in the log',
    )
    for (const { jws, proof } of [before, lost, later]) {
      const proven = await sdkVerifyReceiptProof(proof, jws, {
        log: renderNoteKey(log),
        witnesses: [renderNoteKey(witness.key)],
      })
      assert.equal(proven.cosigned.length, 1, 'for the SDK as well')
    }

    const read = mirrorOf(service)
    const mirrored = (older: readonly string[], epochs: readonly string[], using = keys) =>
      verifyMirror({ read, keys: using, older, epochs, chain: null })
    const all = await mirrored(
      [before, lost, later].map(({ proof }) => checkpointOf(proof)),
      [statement],
    )
    assert.equal(all.outcome, 'proven', JSON.stringify(all))
    assert.match(all.notProven.join(), /lost in a restore, epoch 2/)
    assert.equal(
      (await mirrored([newest.checkpoint], [])).outcome,
      'broken',
      'without the statement the log counts as forked',
    )
    const stranger = readNoteKey(renderNoteKey(noteSigner('other.example/w', 0x04, Buffer.alloc(32, 3))))
    const alone = await mirrored([newest.checkpoint], [statement], { log, witnesses: [stranger ?? assert.fail()] })
    assert.match(alone.notProven.join(), /no witness whose key was given has cosigned/)
    const grown = (older: string) =>
      verifyConsistency({ read, keys, older, newer: now.checkpoint, epochs: [statement] })
    assert.equal((await grown(newest.checkpoint)).outcome, 'lost')
    assert.equal((await grown(restored.checkpoint)).outcome, 'proven')

    // The exit codes for an auditor: 0 proven, 2 lost, 1 broken.
    const files = { receipt: lost.jws, proof: lost.proof, epoch: statement }
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    const verify = (...more: string[]) =>
      cli.run('audit', 'verify', '--proof', join(folder, 'proof'), '--receipt', join(folder, 'receipt'), ...more)
    const withKeys = ['--log-key', renderNoteKey(log), '--witness-key', renderNoteKey(witness.key)]
    assert.equal((await verify(...withKeys)).code, 0)
    const judged = await verify(...withKeys, '--epoch', join(folder, 'epoch'))
    assert.deepEqual([judged.code, /Lost:\n.*lost in a restore, epoch 2/.test(judged.err)], [2, true], judged.err)
    await writeFile(join(folder, 'epoch'), statement.replace('Disk', 'Desk'))
    assert.equal((await verify(...withKeys, '--epoch', join(folder, 'epoch'))).code, 1, 'a changed statement')

    // The witness never returns to the previous epoch, and knows the new one after a kill.
    await witness.kill('SIGKILL')
    witness = await restarted(service, place, witness)
    const old = renderSubmission({ old: now.size, proof: [], checkpoint: now.checkpoint.replace(/epoch 2 .*\n/, '') })
    assert.notEqual((await witness.submit(old)).status, 200)
    await maintainLog(service.deps)
    const findings = await diagnoseLog(service.deps)
    assert.ok(
      findings.every(({ status }) => status === 'ok'),
      JSON.stringify(findings),
    )
  } finally {
    await witness.kill('SIGKILL')
  }
})

const checkpointOf = (proof: string) => proof.slice(proof.indexOf('\n\n') + 2)

async function endAndKeep(service: TestService, end: () => Promise<string>): Promise<string> {
  const id = await end()
  await maintainLog(service.deps)
  return id
}

/** Starts the witness again on another port, and changes the address that the service has of it. */
async function restarted(service: TestService, place: string, before: RunningWitness): Promise<RunningWitness> {
  const witness = await startWitness(place)
  assert.deepEqual(witness.key.id, before.key.id)
  Object.assign(service.deps.config.witnesses[0] ?? assert.fail(), { url: witness.url })
  return witness
}

/** Builds a log in memory. Another `word` gives another history. */
function historyOf(word: string) {
  const leaves = Array.from({ length: 40 }, (_, i) => leafHash(Buffer.from(`${i < 5 ? 'shared' : word} ${i}`)))
  const tiles = new Map(growTiles(0, leaves, () => new Uint8Array(0)).map((tile) => [keyOfTile(tile), tile.hashes]))
  const hashOf = (range: { from: number; to: number }) =>
    hashOfLeaves(range, (tile) => tiles.get(keyOfTile(tile)) ?? new Uint8Array(0))
  const checkpoint = (size: number, epoch: EpochMark | null = null) =>
    signTreeHead({ size, root: hashOf({ from: 0, to: size }) }, TEST_LOG, epoch)
  return {
    checkpoint,
    submission: (old: number, size: number, epoch: EpochMark | null = null) =>
      renderSubmission({ old, proof: consistencyRanges(old, size).map(hashOf), checkpoint: checkpoint(size, epoch) }),
  }
}

const real = historyOf('real')
const other = historyOf('other')
const AT = '2026-11-17T09:00:00.000000Z'
const stated = (restored: string, witnessedNote: string, number = 2) =>
  signEpoch({ number, restored, witnessed: witnessedNote, at: AT, reason: 'Restored' }, TEST_LOG)

test("L15 the log's key alone cannot make a witness forget what it has seen", async () => {
  const place = join(folder, 'attacked')
  const witness = await startWitness(place)
  const post = async (path: string, body: string) =>
    (await fetch(`${witness.url}/${path}`, { method: 'POST', body })).status
  try {
    const cosigned = async (old: number, size: number) => {
      const answer = await witness.submit(real.submission(old, size))
      assert.equal(answer.status, 200)
      return real.checkpoint(size) + answer.text
    }
    const ten = await cosigned(0, 10)
    await cosigned(10, 20)
    const good = stated(ten, real.checkpoint(20))
    const mark = openEpoch(good, TEST_LOG)?.mark ?? assert.fail()
    assert.equal(await post('add-epoch', good), 403, 'its operator has not accepted it')
    for (const old of [10, 20]) {
      const status = await post('add-checkpoint', other.submission(old, 30, mark))
      assert.ok(status === 409 || status === 422, `${status}: a checkpoint that merely says so`)
    }
    // Statements that the witness's operator cannot accept.
    const cli = commandLine({ deps: {} as TestService['deps'] })
    const accept = async (statement: string, ...more: string[]) => {
      await writeFile(join(folder, 'attack.txt'), statement)
      const args = ['--name', 'witness.example/w', '--log', renderNoteKey(TEST_LOG), '--folder', place, '--accept']
      return cli.run('accept-epoch', join(folder, 'attack.txt'), ...args, ...more)
    }
    const forger = noteSigner('verify.example.com/log', 0x01, Buffer.alloc(32, 9))
    const refused: readonly [string, string, RegExp][] = [
      [
        'fewer leaves than it has seen',
        stated(ten, real.checkpoint(15)),
        /has seen 20 leaves, and the statement declares only 15/,
      ],
      ['another tree', stated(ten, other.checkpoint(20)), /another tree of 20 leaves/],
      [
        'a base it never cosigned',
        stated(real.checkpoint(10), real.checkpoint(20)),
        /has not cosigned the checkpoint of 10/,
      ],
      ['a base of another history', stated(other.checkpoint(10), real.checkpoint(20)), /has not cosigned/],
      ['an epoch too far', stated(ten, real.checkpoint(20), 3), /not a statement of that log/],
      ['nothing lost', stated(real.checkpoint(20), real.checkpoint(20)), /not a statement of that log/],
      [
        'signed by another key',
        signEpoch({ number: 2, restored: ten, witnessed: real.checkpoint(20), at: AT, reason: 'x' }, forger),
        /not a statement/,
      ],
      ['changed', good.replace('Restored', 'Ret'), /not a statement/],
      ['a checkpoint', real.checkpoint(20), /not a statement/],
    ]
    for (const [what, statement, why] of refused) {
      const outcome = await accept(statement)
      assert.notEqual(outcome.code, 0, what)
      assert.match(outcome.err, why, what)
      assert.notEqual(await post('add-epoch', statement), 200, what)
    }
    // The statement is accepted, and then the witness sees more leaves: the statement no longer covers them.
    assert.equal((await accept(good)).code, 0)
    await cosigned(20, 25)
    assert.equal(await post('add-epoch', good), 409)
    const better = stated(ten, real.checkpoint(25))
    assert.equal(await post('add-epoch', better), 403, 'another statement needs another decision')
    assert.equal((await accept(better)).code, 0)
    assert.equal(await post('add-epoch', better), 200)
    assert.equal(await post('add-epoch', better), 200, 'the answer may have been lost')
    const next = openEpoch(better, TEST_LOG)?.mark ?? assert.fail()
    assert.equal(await post('add-checkpoint', real.submission(10, 25)), 409, 'the epoch before is over')
    assert.equal(await post('add-checkpoint', real.submission(10, 12, { ...next, digest: mark.digest })), 409)
    assert.equal(await post('add-checkpoint', real.submission(10, 12, next)), 200)
    assert.equal(await post('add-epoch', good), 409)
    // Back to the previous epoch, beyond its present checkpoint: only to one that it cosigned there.
    for (const base of [other.checkpoint(9), other.checkpoint(15)]) {
      const third = stated(base, real.checkpoint(30, next), 3)
      assert.match((await accept(third)).err, /has not cosigned the checkpoint/)
      assert.notEqual(await post('add-epoch', third), 200)
    }
    const kept = await readFile(join(place, `accepted-${next.digest.toString('hex')}.json`), 'utf8')
    assert.equal(JSON.parse(kept).is_unproven, false)
  } finally {
    await witness.kill('SIGTERM')
  }
})

const headOf = (note: string) => {
  const opened = openTreeHead(note, TEST_LOG)
  return opened.outcome === 'signed' ? opened.head : assert.fail(opened.outcome)
}

test('a statement names the lost leaves, and nothing beyond them', () => {
  const two = openEpoch(stated(real.checkpoint(10), real.checkpoint(20)), TEST_LOG) ?? assert.fail()
  const three =
    openEpoch(stated(real.checkpoint(11, two.mark), real.checkpoint(13, two.mark), 3), TEST_LOG) ?? assert.fail()
  assert.ok(isEpochSequence([two, three], three.mark))
  for (const [statements, mark] of [
    [[two], three.mark],
    [[three], three.mark],
    [[two, three], two.mark],
    [[two], null],
    [[], two.mark],
  ] as const)
    assert.equal(isEpochSequence(statements, mark), false)
  // The log may return to before the second epoch, but not to leaves that it had abandoned, nor to another second epoch.
  const backTo = (restored: string) =>
    openEpoch(stated(restored, real.checkpoint(13, two.mark), 3), TEST_LOG) ?? assert.fail()
  assert.ok(isEpochSequence([two, backTo(real.checkpoint(9))], backTo(real.checkpoint(9)).mark))
  assert.equal(isEpochSequence([two, backTo(real.checkpoint(12))], backTo(real.checkpoint(12)).mark), false)
  assert.equal(openEpoch(stated(real.checkpoint(11, three.mark), real.checkpoint(13, two.mark), 3), TEST_LOG), null)
  assert.equal(fateOfTreeHead(headOf(real.checkpoint(10)), [two, backTo(real.checkpoint(9))]).outcome, 'lost')
  assert.equal(fateOfTreeHead(headOf(real.checkpoint(11, two.mark)), [two, backTo(real.checkpoint(9))]).outcome, 'lost')
  assert.equal(fateOfTreeHead(headOf(real.checkpoint(9)), [two, backTo(real.checkpoint(9))]).outcome, 'kept')
  const fate = (note: string) => {
    const found = fateOfTreeHead(headOf(note), [two, three])
    return found.outcome === 'kept' ? 'kept' : `${found.outcome} ${found.statement.mark.number}`
  }
  assert.equal(fate(real.checkpoint(10)), 'kept')
  assert.equal(fate(real.checkpoint(11)), 'lost 2')
  assert.equal(fate(real.checkpoint(20)), 'lost 2')
  assert.equal(fate(other.checkpoint(20)), 'unaccounted 2', 'there was only one tree of that size')
  assert.equal(fate(real.checkpoint(21)), 'unaccounted 2', 'more leaves than the statement names')
  assert.equal(fate(real.checkpoint(11, two.mark)), 'kept')
  assert.equal(fate(real.checkpoint(12, two.mark)), 'lost 3')
  assert.equal(fate(real.checkpoint(14, two.mark)), 'unaccounted 3')
  assert.equal(fate(real.checkpoint(30, three.mark)), 'kept')
  assert.equal(
    fate(real.checkpoint(9, { ...two.mark, digest: Buffer.alloc(32, 7) })),
    'unaccounted 2',
    'another epoch 2',
  )
  // Neither is accepted as the other.
  const text = readNote(stated(real.checkpoint(10), real.checkpoint(20)))?.text ?? assert.fail()
  assert.equal(openTreeHead(stated(real.checkpoint(10), real.checkpoint(20)), TEST_LOG).outcome, 'malformed')
  const witness = noteSigner('w.example/w', 0x04, Buffer.alloc(32, 4))
  assert.match(signatureLine(cosign(text, 1, witness)), /^— w\.example\/w /)
})
