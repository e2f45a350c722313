// Tests signed notes, checkpoints, cosignatures and proof files, byte by byte.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { openTreeHead, signTreeHead } from '../../src/features/transparency/domain/log/checkpoint.ts'
import { cosign, cosignersOf, openCosignature } from '../../src/features/transparency/domain/log/cosignature.ts'
import {
  consistencyRanges,
  inclusionRanges,
  leafHash,
  type TreeHead,
} from '../../src/features/transparency/domain/log/merkle.ts'
import { readProof, renderProof, verifyProof } from '../../src/features/transparency/domain/log/proof-file.ts'
import {
  judgeSubmission,
  readSubmission,
  renderSubmission,
  SUBMISSION_BYTES_MAX,
} from '../../src/features/transparency/domain/log/submission.ts'
import { growTiles, hashOfLeaves, keyOfTile } from '../../src/features/transparency/domain/log/tiles.ts'
import {
  judgeNote,
  noteKey,
  noteSigner,
  readNote,
  readNoteKey,
  renderNoteKey,
  signatureLine,
  signNote,
} from '../../src/platform/signed-note.ts'

const VKEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
const NOTE = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`
const log = noteSigner('verify.example/log', 0x01, Buffer.alloc(32, 7))
const witness = noteSigner('witness.example/w', 0x04, Buffer.alloc(32, 9))
const published = (signer: typeof log) => readNoteKey(renderNoteKey(signer)) ?? assert.fail('a key that cannot be read')

test('the example of the note format verifies, and its key is rendered as it was read', () => {
  const key = readNoteKey(VKEY) ?? assert.fail('unreadable')
  const note = readNote(NOTE) ?? assert.fail('unreadable')
  assert.equal(note.text, 'This is an example message.\n')
  assert.equal(judgeNote(note, key), 'signed')
  assert.equal(renderNoteKey(key), VKEY)
  assert.equal(judgeNote({ ...note, text: 'This is another message.\n' }, key), 'bad_signature')
  assert.equal(judgeNote(note, noteKey('example.com/bar', 0x01, key.publicKey)), 'unknown_key')
})

test('keys with another id, algorithm or length are not keys', () => {
  const [name = '', id = '', key = ''] = VKEY.split('+')
  const other = Buffer.from(key, 'base64')
  other[0] = 0x02
  const refused = [
    `${name}+530d903b+${key}`,
    `${name}+${id}+${other.toString('base64')}`,
    `${name}+${id}+${key.slice(4)}`,
    `${name}+${id}`,
    `+${id}+${key}`,
    `a b+${id}+${key}`,
    '',
  ]
  for (const text of refused) assert.equal(readNoteKey(text), null, text)
  // A key of an unknown algorithm, with the id that such a key has.
  const named = createHash('sha256').update(`${name}\n`).update(other).digest('hex').slice(0, 8)
  assert.equal(readNoteKey(`${name}+${named}+${other.toString('base64')}`), null)
})

test('a note is accepted in exactly one form', () => {
  const refused = [
    NOTE.trimEnd(),
    NOTE.replace('\n\n', '\n'),
    NOTE.replace('— ', '- '),
    NOTE.replace('message', 'mess\u0007age'),
    NOTE.replace('message', 'mess\rage'),
    NOTE.replace('IneyaQM=', 'IneyaQM'),
    NOTE.replace('Uw2Q', 'Uw2Q\n'),
    `${NOTE}${(NOTE.split('\n\n')[1] ?? '').repeat(100)}`,
    `${'x'.repeat(70_000)}\n${NOTE}`,
    '',
  ]
  for (const [i, text] of refused.entries()) assert.equal(readNote(text), null, String(i))
})

test('signatures by unknown keys are ignored; a second, invalid one by a known key invalidates the note', () => {
  const text = 'said\n'
  const signed = signNote(text, log)
  const others = signed + signatureLine(cosign(text, 1, witness))
  assert.equal(judgeNote(readNote(others) ?? assert.fail(), published(log)), 'signed')
  const spoiled = signed + signatureLine({ name: log.name, keyId: log.id, signature: Buffer.alloc(64) })
  assert.equal(judgeNote(readNote(spoiled) ?? assert.fail(), published(log)), 'bad_signature')
})

test('a checkpoint has origin, size and root, and only what the log signed is returned', () => {
  const head = { size: 12_345, root: Buffer.alloc(32, 1) }
  const note = signTreeHead(head, log)
  assert.match(note, /^verify\.example\/log\n12345\n(?:AQEB){10}AQE=\n\n— verify\.example\/log \S+\n$/)
  const opened = openTreeHead(note, published(log))
  assert.ok(opened.outcome === 'signed')
  assert.deepEqual(opened.head, { origin: 'verify.example/log', ...head, epoch: null })
  assert.deepEqual(openTreeHead(note.replace('12345', '12346'), published(log)), { outcome: 'not_signed_by_key' })
  assert.deepEqual(openTreeHead(note.replace('12345', '012345'), published(log)), { outcome: 'malformed' })
  assert.deepEqual(openTreeHead(note.replace('12345', '1e4'), published(log)), { outcome: 'malformed' })
  const other = noteSigner('verify.example/log', 0x01, Buffer.alloc(32, 8))
  assert.deepEqual(openTreeHead(note, published(other)), { outcome: 'not_signed_by_key' })
  // The same root in another encoding, signed.
  const respelt = signNote(`verify.example/log\n1\n${Buffer.alloc(32).toString('base64').replace('A=', 'B=')}\n`, log)
  assert.deepEqual(openTreeHead(respelt, published(log)), { outcome: 'malformed' })
  for (const length of [30, 33]) {
    const root = Buffer.alloc(length).toString('base64')
    assert.deepEqual(openTreeHead(signNote(`verify.example/log\n1\n${root}\n`, log), published(log)), {
      outcome: 'malformed',
    })
  }
  // This note is signed with the right key, but under another log's name.
  const elsewhere = signNote(`other.example/log\n1\n${Buffer.alloc(32).toString('base64')}\n`, log)
  assert.deepEqual(openTreeHead(elsewhere, published(log)), { outcome: 'not_signed_by_key' })
})

test('a cosignature is valid only for its text, its time and its witness', () => {
  const { text } = readNote(signTreeHead({ size: 1, root: Buffer.alloc(32) }, log)) ?? assert.fail()
  const signature = cosign(text, 1_700_000_000, witness)
  assert.equal(signature.signature.length, 72)
  assert.deepEqual(openCosignature(text, signature, published(witness)), { witness: witness.name, at: 1_700_000_000 })
  assert.equal(openCosignature(`${text}x`, signature, published(witness)), null)
  const later = Buffer.from(signature.signature)
  later.writeBigUInt64BE(1_700_000_001n)
  assert.equal(openCosignature(text, { ...signature, signature: later }, published(witness)), null)
  const other = noteSigner(witness.name, 0x04, Buffer.alloc(32, 10))
  assert.equal(openCosignature(text, signature, published(other)), null)
  assert.equal(openCosignature(text, { ...signature, name: 'witness.example/other' }, published(witness)), null)
  for (const length of [0, 4, 71]) {
    const cut = { ...signature, signature: signature.signature.subarray(0, length) }
    assert.equal(openCosignature(text, cut, published(witness)), null)
  }
  const never = cosign(text, 2 ** 60, witness)
  assert.equal(openCosignature(text, never, published(witness)), null, 'a time beyond the safe integers')
  // A key that signs notes is not a witness key.
  const asLog = noteSigner(witness.name, 0x01, Buffer.alloc(32, 9))
  assert.equal(openCosignature(text, { ...signature, keyId: asLog.id }, published(asLog)), null)
})

const leaves = Array.from({ length: 11 }, (_, i) => Buffer.from(`leaf ${i}`))
const tiles = new Map(
  growTiles(0, leaves.map(leafHash), () => new Uint8Array(0)).map((tile) => [keyOfTile(tile), tile.hashes]),
)
const hashOf = (range: { from: number; to: number }) =>
  hashOfLeaves(range, (tile) => tiles.get(keyOfTile(tile)) ?? new Uint8Array(0))
const checkpoint = signTreeHead({ size: 11, root: hashOf({ from: 0, to: 11 }) }, log)
const checkpointText = readNote(checkpoint)?.text ?? assert.fail()
const cosigned = checkpoint + signatureLine(cosign(checkpointText, 5, witness))
const file = renderProof({ index: 4, hashes: inclusionRanges(4, 11).map(hashOf), checkpoint: cosigned, extra: null })
const keys = { log: published(log), witnesses: [published(witness)] }
const leafFour = leaves[4] ?? assert.fail()

test('L09 a proof file verifies with only the keys of the log and its witnesses', () => {
  assert.ok(file.startsWith('c2sp.org/tlog-proof@v1\nindex 4\n'))
  assert.deepEqual(verifyProof(file, leafFour, keys), {
    outcome: 'included',
    index: 4,
    size: 11,
    root: hashOf({ from: 0, to: 11 }),
    origin: 'verify.example/log',
    epoch: null,
    cosigned: [{ witness: witness.name, at: 5 }],
  })
  const withExtra = file.replace('\nindex', '\nextra AAAA\nindex')
  assert.equal(verifyProof(withExtra, leafFour, keys).outcome, 'included')
  const unwitnessed = verifyProof(file, leafFour, { ...keys, witnesses: [] })
  assert.ok(unwitnessed.outcome === 'included' && unwitnessed.cosigned.length === 0)
  assert.equal(cosignersOf(readNote(cosigned) ?? assert.fail(), keys.witnesses).length, 1)
})

test('L06 L09 a changed leaf, index, hash, root or key is not a proof', () => {
  const lines = file.split('\n')
  const swapped = [...lines.slice(0, 2), lines[3], lines[2], ...lines.slice(4)].join('\n')
  const cases: readonly [string, Buffer, string][] = [
    [file, leaves[5] ?? assert.fail(), 'not_included'],
    [file.replace('index 4', 'index 5'), leafFour, 'not_included'],
    [file.replace('index 4', 'index 11'), leafFour, 'not_included'],
    [swapped, leafFour, 'not_included'],
    [file.replace('\n11\n', '\n12\n'), leafFour, 'not_signed_by_key'],
    [file.replace('@v1', '@v2'), leafFour, 'malformed'],
    [file.replace('index 4', 'index 04'), leafFour, 'malformed'],
    [file.replace(/\n[^\n]+\n\n/, '\nAAAA\n\n'), leafFour, 'malformed'],
    [file.split('\n\n')[0] ?? '', leafFour, 'malformed'],
    [
      file.replace('index 4\n', `index 4\n${`${Buffer.alloc(32).toString('base64')}\n`.repeat(60)}`),
      leafFour,
      'malformed',
    ],
  ]
  for (const [i, [input, leaf, outcome]] of cases.entries()) {
    assert.equal(verifyProof(input, leaf, keys).outcome, outcome, String(i))
  }
  const other = { ...keys, log: published(noteSigner('verify.example/log', 0x01, Buffer.alloc(32, 1))) }
  assert.equal(verifyProof(file, leafFour, other).outcome, 'not_signed_by_key')
  assert.equal(readProof(`${file}${'x'.repeat(100_000)}`), null)
})

test('L08 a submission is accepted in exactly one form, within its limits', () => {
  const judged = (body: string) => judgeSubmission(body, [published(log)], () => null).outcome
  const hash = Buffer.alloc(32).toString('base64')
  const body = (proof: string) => `old 0\n${proof}\n${checkpoint}`
  assert.equal(judged(body('')), 'consistent')
  assert.equal(judged(body(`${hash}\n`)), 'bad_proof', 'there is no earlier tree to prove from')
  assert.equal(judged(body(`${hash.replace('A=', 'B=')}\n`)), 'malformed')
  assert.equal(judged(body(`${hash.slice(4)}\n`)), 'malformed')
  assert.equal(readSubmission(body(`${hash}\n`.repeat(63)))?.proof.length, 63)
  assert.equal(judged(body(`${hash}\n`.repeat(64))), 'malformed')
  assert.equal(readSubmission(`old 0\n\n${'x'.repeat(SUBMISSION_BYTES_MAX)}`), null)
  assert.notEqual(readSubmission(`old 0\n\n${'x'.repeat(1_000)}`), null)
})

test('L08 a witness refuses a submission for each single fault', () => {
  const at = (size: number) => ({ size, root: hashOf({ from: 0, to: size }) })
  const proofOf = (old: number, size: number) => consistencyRanges(old, size).map(hashOf)
  const good = proofOf(5, 11)
  const submitted = (old: number, proof: Buffer[], note: string, known: TreeHead = at(5)) => {
    const last = { ...known, epoch: null, note: null }
    return judgeSubmission(renderSubmission({ old, proof, checkpoint: note }), [published(log)], () => last)
  }
  assert.equal(submitted(5, good, checkpoint).outcome, 'consistent')
  const unknown = noteSigner('other.example/log', 0x01, Buffer.alloc(32, 7))
  const forger = noteSigner('verify.example/log', 0x01, Buffer.alloc(32, 8))
  assert.equal(submitted(12, [], checkpoint, at(11)).outcome, 'malformed', 'from a larger size than the checkpoint has')
  assert.equal(submitted(5, good, signTreeHead(at(11), unknown)).outcome, 'unknown_log')
  assert.equal(submitted(5, good, signTreeHead(at(11), forger)).outcome, 'not_signed')
  assert.deepEqual(
    submitted(4, proofOf(4, 11), checkpoint),
    { outcome: 'conflict', size: 5 },
    'the witness knows a larger tree',
  )
  assert.deepEqual(
    submitted(4, proofOf(4, 5), signTreeHead(at(5), log), at(11)),
    { outcome: 'conflict', size: 11 },
    'back',
  )
  const fork = signTreeHead({ size: 5, root: hashOf({ from: 0, to: 6 }) }, log)
  assert.deepEqual(submitted(5, [], fork), { outcome: 'conflict', size: 5 }, 'another tree of that size')
  assert.equal(submitted(5, good.slice(1), checkpoint).outcome, 'bad_proof')
  assert.equal(submitted(5, good, checkpoint, { size: 5, root: Buffer.alloc(32) }).outcome, 'bad_proof')
})
