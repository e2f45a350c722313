// Tests our notes and proofs with Go's golang.org/x/mod/sumdb, if Go is installed and the module can be fetched.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { signTreeHead } from '../../src/features/transparency/domain/log/checkpoint.ts'
import { signEpoch } from '../../src/features/transparency/domain/log/epoch.ts'
import { consistencyRanges, inclusionRanges, leafHash } from '../../src/features/transparency/domain/log/merkle.ts'
import { growTiles, hashOfLeaves, keyOfTile } from '../../src/features/transparency/domain/log/tiles.ts'
import { noteSigner, renderNoteKey } from '../../src/platform/signed-note.ts'

const SIZE = 66_000
const leafOf = (index: number) => Buffer.from(`leaf ${index}`)
const run = (args: readonly string[], input = '') =>
  spawnSync('go', args, { cwd: fileURLToPath(new URL('go/', import.meta.url)), input, encoding: 'utf8' })

/** null if Go can verify here, otherwise why it cannot. */
function whyNot(): string | null {
  if (run(['version']).status !== 0) return 'Go is not installed'
  const built = run(['build', '-o', '/dev/null', '.'])
  return built.status === 0 ? null : `the module golang.org/x/mod cannot be fetched (${built.stderr.split('\n')[0]})`
}

test('Go agrees with notes, roots, proofs of inclusion and of consistency, and tiles', () => {
  const missing = whyNot()
  if (missing !== null) {
    // The runner prints this line next to the file's name.
    console.log(`not compared: ${missing}`)
    return
  }
  const grown = growTiles(
    0,
    Array.from({ length: SIZE }, (_, i) => leafHash(leafOf(i))),
    () => new Uint8Array(0),
  )
  const tiles = new Map(grown.map((tile) => [keyOfTile(tile), tile.hashes]))
  const hashOf = (range: { from: number; to: number }) =>
    hashOfLeaves(range, (tile) => tiles.get(keyOfTile(tile)) ?? new Uint8Array(0))
  const headOf = (size: number) => ({ Size: size, Root: hashOf({ from: 0, to: size }).toString('base64') })
  const texts = (ranges: readonly { from: number; to: number }[]) =>
    ranges.map((range) => hashOf(range).toString('base64'))
  const sizes = [1, 2, 3, 7, 8, 255, 256, 257, 300, 65_535, 65_536, 65_537, SIZE]
  const inclusions = sizes.flatMap((size) =>
    [...new Set([0, Math.floor(size / 2), size - 1])].map((index) => ({
      ...headOf(size),
      Index: index,
      Leaf: leafOf(index).toString('base64'),
      Proof: texts(inclusionRanges(index, size)),
    })),
  )
  const consistency = sizes.flatMap((size) =>
    sizes
      .filter((old) => old <= size)
      .map((old) => ({ Old: headOf(old), New: headOf(size), Proof: texts(consistencyRanges(old, size)) })),
  )
  const signer = noteSigner('verify.example/log', 0x01, Buffer.alloc(32, 7))
  const document = {
    Note: signTreeHead({ size: SIZE, root: hashOf({ from: 0, to: SIZE }) }, signer),
    Key: renderNoteKey(signer),
    Inclusions: inclusions,
    Consistency: consistency,
    Tiles: grown.map(({ level, index, hashes }) => ({ Level: level, Index: index, Hashes: hashes.toString('base64') })),
    TilesOf: headOf(SIZE),
    SampleLeaves: Object.fromEntries([0, 255, 256, 65_535, SIZE - 1].map((i) => [i, leafOf(i).toString('base64')])),
  }
  assert.equal(run(['run', '.'], JSON.stringify(document)).stdout, 'agreed\n')
  // A checkpoint of a later epoch has one more line, and the statement that opened it is a note, too.
  const root = hashOf({ from: 0, to: SIZE })
  const later = signTreeHead({ size: SIZE, root }, signer, { number: 2, digest: Buffer.alloc(32, 5) })
  const [restored, witnessed] = [1, 2].map((size) => signTreeHead({ size, root }, signer))
  const at = '2026-11-17T09:00:00.000000Z'
  const statement = signEpoch(
    { number: 2, restored: restored ?? '', witnessed: witnessed ?? '', at, reason: 'Restored' },
    signer,
  )
  for (const note of [later, statement])
    assert.equal(run(['run', '.'], JSON.stringify({ ...document, Note: note })).stdout, 'agreed\n')
  const [first] = inclusions.slice(-1)
  const wrong = { ...document, Inclusions: [{ ...first, Leaf: leafOf(1).toString('base64') }] }
  assert.match(run(['run', '.'], JSON.stringify(wrong)).stdout, /^leaf 65999 of 66000/)
})
