// Tests that a restore excuses only what it lost: not a chain that was rewritten after it.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { blindedHead, firstOrdinalOf, headKeyOf } from '../../src/features/audit/domain/blinded-heads.ts'
import { signTreeHead } from '../../src/features/transparency/domain/log/checkpoint.ts'
import { epochLeaf, openEpoch, signEpoch } from '../../src/features/transparency/domain/log/epoch.ts'
import { createFrontier } from '../../src/features/transparency/domain/log/frontier.ts'
import { opaqueLeaf } from '../../src/features/transparency/domain/log/leaves.ts'
import { leafHash } from '../../src/features/transparency/domain/log/merkle.ts'
import { packEntries, tilePathOf } from '../../src/features/transparency/domain/log/tiles.ts'
import { verifyMirror } from '../../src/features/transparency/usecases/verify-log.ts'
import { TEST_LOG } from '../harness/servers/witness.ts'

const BEFORE = '2025-12-31T23:00:00.000000Z'
const RESTORED_AT = '2026-01-01T00:00:00.000000Z'
const AFTER = '2026-05-01T00:00:00.000000Z'

const realm = { tenantId: 'ten_1', environment: 'live' } as const
const blindingKey = randomBytes(32)
const key = headKeyOf(blindingKey, 'live')
const padding = (n: number) => Array.from({ length: n }, () => opaqueLeaf(randomBytes(32)))
const hashOf = (word: string) => Buffer.from(word.padEnd(32, '.'))
function rootOf(leaves: readonly Buffer[]) {
  const frontier = createFrontier()
  for (const leaf of leaves) frontier.add(leafHash(leaf))
  return frontier.root()
}

/**
 * Compares an export (`[number, content, time]`) with a log that had entry 3 before a restore and has the `later` heads
 * after it.
 */
async function outcomeOf(
  exported: readonly (readonly [number, string, string])[],
  later: readonly (readonly [number, string])[],
  withTimes = true,
) {
  const beginning = [...padding(14), ...blindedHead(key, 0, { seq: 3, hash: hashOf('three') }, 1)]
  const lostEnd = [...beginning, ...padding(4)]
  const restored = signTreeHead({ size: beginning.length, root: rootOf(beginning) }, TEST_LOG)
  const witnessed = signTreeHead({ size: lostEnd.length, root: rootOf(lostEnd) }, TEST_LOG)
  const statement = signEpoch({ number: 2, restored, witnessed, at: RESTORED_AT, reason: 'Disk' }, TEST_LOG)
  const mark = openEpoch(statement, TEST_LOG)?.mark ?? assert.fail()
  const heads = later.flatMap(([seq, word], i) => [
    ...blindedHead(key, firstOrdinalOf(2) + i, { seq, hash: hashOf(word) }, 1),
    ...padding(5),
  ])
  const leaves = [...beginning, epochLeaf(mark), ...heads]
  const checkpoint = signTreeHead({ size: leaves.length, root: rootOf(leaves) }, TEST_LOG, mark)
  const path = `tile/${tilePathOf({ level: null, index: 0, width: leaves.length })}`
  const read = async (at: string) =>
    at === 'checkpoint' ? Buffer.from(checkpoint) : at === path ? packEntries(leaves) : null
  const hashes = new Map(exported.map(([seq, word]) => [seq, hashOf(word).toString('hex')]))
  const times = new Map(exported.map(([seq, , at]) => [seq, at]))
  const chain = { realm, blindingKey, hashes, ...(withTimes ? { times } : {}) }
  const keys = { log: TEST_LOG, witnesses: [] }
  return (await verifyMirror({ read, keys, older: [], epochs: [statement], chain })).outcome
}

const THREE = [3, 'three', BEFORE] as const

test('an export from before the restore, with entries that it lost, is lost', async () => {
  const exported = [THREE, [9, 'nine', BEFORE]] as const
  assert.equal(await outcomeOf(exported, [[9, 'another nine']]), 'lost')
  assert.equal(await outcomeOf(exported, [[12, 'twelve']]), 'lost', 'the log has later entries')
  // The backup had entry 5 already, which the log got after the restore only.
  const longer = [THREE, [5, 'five', BEFORE], [9, 'nine', BEFORE]] as const
  assert.equal(
    await outcomeOf(longer, [
      [5, 'five'],
      [9, 'another nine'],
    ]),
    'lost',
  )
  assert.equal(await outcomeOf(exported, [[9, 'nine']]), 'proven')
})

test('a chain that was rewritten after the restore is broken', async () => {
  const exported = [THREE, [9, 'nine', AFTER], [10, 'ten', AFTER]] as const
  assert.equal(
    await outcomeOf(exported, [
      [9, 'nine'],
      [10, 'ten'],
    ]),
    'proven',
  )
  assert.equal(
    await outcomeOf(exported, [
      [9, 'nine'],
      [10, 'another ten'],
    ]),
    'broken',
  )
  assert.equal(await outcomeOf(exported, [[10, 'another ten']]), 'broken')
  assert.equal(await outcomeOf(exported, [[12, 'twelve']]), 'broken', 'the export ends before that entry')
})

test('two heads with one number in one epoch are broken, also of an entry from before the restore', async () => {
  const exported = [THREE, [9, 'nine', BEFORE]] as const
  for (const words of [
    ['nine', 'another nine'],
    ['another nine', 'nine'],
  ])
    assert.equal(
      await outcomeOf(
        exported,
        words.map((word) => [9, word] as const),
      ),
      'broken',
    )
  assert.equal(await outcomeOf(exported, [[9, 'another nine']], false), 'broken', 'without times nothing is excused')
})
