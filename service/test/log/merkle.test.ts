// Tests the tree, its proofs and its tiles against a second implementation without tiles.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import {
  consistencyRanges,
  emptyRoot,
  inclusionRanges,
  isConsistent,
  isIncluded,
  type LeafRange,
  leafHash,
  rootOfInclusion,
} from '../../src/features/transparency/domain/log/merkle.ts'
import {
  edgeOf,
  growTiles,
  hashOfLeaves,
  keyOfTile,
  packEntries,
  readTilePath,
  TILE_WIDTH,
  TileIncomplete,
  type TileName,
  tilePathOf,
  tilesOfRanges,
  unpackEntries,
  widthIn,
} from '../../src/features/transparency/domain/log/tiles.ts'

const leafOf = (index: number) => Buffer.from(`leaf ${index}`)
const SIZE = 300
const leaves = Array.from({ length: SIZE }, (_, index) => leafOf(index))
const tiles = new Map<string, Buffer>()
for (const { level, index, hashes } of growTiles(0, leaves.map(leafHash), noTile))
  tiles.set(keyOfTile({ level, index }), hashes)
const read = (tile: TileName) => tiles.get(keyOfTile(tile)) ?? new Uint8Array(0)

function noTile(): Uint8Array {
  throw new Error('an empty tree has no edge')
}

/** RFC 6962 §2.1, literally. */
function rootByDefinition(data: readonly Uint8Array[]): Buffer {
  const [only] = data
  if (only === undefined) return createHash('sha256').digest()
  if (data.length === 1) return createHash('sha256').update('\0').update(only).digest()
  const split = 2 ** Math.floor(Math.log2(data.length - 1))
  const parts = [rootByDefinition(data.slice(0, split)), rootByDefinition(data.slice(split))]
  return createHash('sha256').update('\u0001').update(Buffer.concat(parts)).digest()
}

const roots = Array.from({ length: SIZE + 1 }, (_, size) => rootByDefinition(leaves.slice(0, size)))
const rootOf = (size: number) => roots[size] ?? assert.fail('no such tree')
/** The proofs of all trees share their parts, so each part is computed once. */
const parts = new Map<string, Buffer>()
const partOf = (range: LeafRange) => {
  const known = parts.get(`${range.from}-${range.to}`) ?? hashOfLeaves(range, read)
  parts.set(`${range.from}-${range.to}`, known)
  return known
}
const inclusionOf = (index: number, size: number) => inclusionRanges(index, size).map(partOf)
const consistencyOf = (old: number, size: number) => consistencyRanges(old, size).map(partOf)

test('small trees have the known roots', () => {
  // These inputs are the test data of the first implementation of RFC 6962.
  const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
  const known = [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ]
  const data = inputs.map((hex) => Buffer.from(hex, 'hex'))
  assert.deepEqual(emptyRoot().toString('hex'), known[0])
  for (let size = 1; size <= data.length; size += 1) {
    const small = new Map(
      growTiles(0, data.slice(0, size).map(leafHash), noTile).map((tile) => [keyOfTile(tile), tile.hashes]),
    )
    const root = hashOfLeaves({ from: 0, to: size }, (tile) => small.get(keyOfTile(tile)) ?? new Uint8Array(0))
    assert.equal(root.toString('hex'), known[size])
    assert.deepEqual(root, rootByDefinition(data.slice(0, size)))
  }
})

test('L01 every leaf of every tree of 1 to 300 leaves is proven in its place, and in no other', () => {
  for (let size = 1; size <= SIZE; size += 1) {
    assert.deepEqual(hashOfLeaves({ from: 0, to: size }, read), rootOf(size))
    for (let index = 0; index < size; index += 1) {
      const proof = inclusionOf(index, size)
      const leaf = leafHash(leafOf(index))
      assert.ok(isIncluded({ index, size, leaf, proof }, rootOf(size)), `${index} of ${size}`)
      if (size < 40) {
        for (let other = 0; other < size; other += 1) {
          const elsewhere = { index: other, size, leaf, proof }
          assert.equal(isIncluded(elsewhere, rootOf(size)), other === index, `${index} as ${other} of ${size}`)
        }
      }
    }
  }
})

test('L01 a proof of another form is refused', () => {
  const proof = inclusionOf(5, 11)
  const good = { index: 5, size: 11, leaf: leafHash(leafOf(5)), proof }
  assert.ok(isIncluded(good, rootOf(11)))
  const bad = [
    { ...good, proof: proof.slice(1) },
    { ...good, proof: [...proof, rootOf(3)] },
    { ...good, proof: proof.toReversed() },
    { ...good, index: 11 },
    { ...good, index: -1 },
    { ...good, index: 5.5 },
    { ...good, size: Number.MAX_SAFE_INTEGER + 1 },
    { ...good, leaf: good.leaf.subarray(1) },
    { ...good, proof: proof.map((hash) => hash.subarray(1)) },
  ]
  for (const one of bad) assert.equal(isIncluded(one, rootOf(11)), false)
  for (const form of [
    { ...good, size: 5 },
    { ...good, proof: proof.slice(1) },
    { ...good, proof: [...proof, rootOf(3)] },
    { ...good, leaf: good.leaf.subarray(1) },
    { ...good, proof: proof.with(0, rootOf(3).subarray(1)) },
    { ...good, index: 11, leaf: leafHash(leafOf(10)), proof: inclusionOf(10, 11) },
  ])
    assert.equal(rootOfInclusion(form), null)
  assert.ok(isIncluded({ index: 10, size: 11, leaf: leafHash(leafOf(10)), proof: inclusionOf(10, 11) }, rootOf(11)))
})

test('L02 a proof of another form is refused', () => {
  const at = (size: number) => ({ size, root: rootOf(size) })
  const short = { size: 1, root: rootOf(1).subarray(1) }
  const good = consistencyOf(5, 11)
  assert.ok(isConsistent(at(5), at(11), good))
  const bad: readonly [string, ReturnType<typeof at>, ReturnType<typeof at>, readonly Buffer[]][] = [
    ['backwards', at(11), at(5), good],
    ['backwards, to an empty tree', at(1), at(0), []],
    ['a fraction', { ...at(5), size: 5.5 }, { ...at(11), size: 5.5 }, []],
    ['a negative size', { ...at(1), size: -1 }, { ...at(1), size: -1 }, []],
    ['malformed roots', short, short, []],
    ['a new root of a wrong length, from an empty tree', at(0), short, []],
    ['an old root of a wrong length', { ...at(5), root: rootOf(5).subarray(1) }, at(11), good],
    ['another old root', { ...at(5), root: rootOf(4) }, at(11), good],
    ['another new root', at(5), { ...at(11), root: rootOf(10) }, good],
    ['a hash of a wrong length', at(5), at(11), good.with(-1, rootOf(3).subarray(1))],
    ['one hash too few', at(5), at(11), good.slice(0, -1)],
    ['one hash too many', at(5), at(11), [...good, rootOf(1)]],
    ['one hash too many, from a complete tree', at(4), at(8), [...consistencyOf(4, 8), rootOf(1)]],
    ['no hash', at(5), at(11), []],
    ['an empty tree with another root', { size: 0, root: rootOf(3) }, at(11), []],
    ['an empty tree with a proof', at(0), at(11), good],
    ['two trees of one size', at(5), { size: 5, root: rootOf(6) }, []],
    ['the same tree with a proof', at(5), at(5), good],
    ['two empty trees', at(0), { size: 0, root: rootOf(1) }, []],
  ]
  for (const [what, older, newer, proof] of bad) assert.equal(isConsistent(older, newer, proof), false, what)
})

test('L02 every tree of up to 300 leaves extends every smaller one, and no other', () => {
  for (let size = 0; size <= SIZE; size += 1) {
    for (let old = 0; old <= size; old += 1) {
      const proof = consistencyOf(old, size)
      const older = { size: old, root: rootOf(old) }
      const newer = { size, root: rootOf(size) }
      assert.ok(isConsistent(older, newer, proof), `${size} from ${old}`)
      const other = { ...older, root: rootOf(old + 1 > SIZE ? 1 : old + 1) }
      assert.equal(isConsistent(other, newer, proof), false, `${size} from a tree that is not ${old}`)
      if (proof.length > 0) {
        assert.equal(isConsistent(older, newer, proof.slice(1)), false)
        assert.equal(isConsistent(older, { ...newer, root: rootOf(size - 1) }, proof), false)
      }
      assert.equal(isConsistent(older, newer, [...proof, rootOf(1)]), false)
      if (old < size) assert.equal(isConsistent(newer, older, proof), false, 'backwards')
    }
  }
})

test('L03 tiles have the same bytes whether they grow leaf by leaf, in batches or at once', () => {
  for (const batch of [1, 7, 255, 256, 257]) {
    const stored = new Map<string, Buffer>()
    for (let size = 0; size < SIZE; size += batch) {
      const edge = new Set(edgeOf(size).map(keyOfTile))
      const grown = growTiles(size, leaves.slice(size, size + batch).map(leafHash), (tile) => {
        assert.ok(edge.has(keyOfTile(tile)), 'only the edge is read')
        return stored.get(keyOfTile(tile)) ?? assert.fail('the edge is there')
      })
      for (const tile of grown) stored.set(keyOfTile(tile), tile.hashes)
    }
    assert.deepEqual(stored, tiles, `batches of ${batch}`)
  }
})

test('L03 a tile of any width is the beginning of the full one, with the hashes recomputed', () => {
  for (let size = 1; size <= SIZE; size += 1) {
    for (const tile of [...edgeOf(size), { level: 0, index: 0 }]) {
      const width = widthIn(tile, size)
      const span = TILE_WIDTH ** tile.level
      const expected = Array.from({ length: width }, (_, i) => {
        const from = (tile.index * TILE_WIDTH + i) * span
        return rootByDefinition(leaves.slice(from, from + span))
      })
      assert.deepEqual(Buffer.from(read(tile)).subarray(0, width * 32), Buffer.concat(expected))
    }
  }
  assert.equal(widthIn({ level: 1, index: 0 }, 255), 0)
  assert.equal(widthIn({ level: 1, index: 0 }, 256), 1)
  assert.equal(widthIn({ level: 0, index: 1 }, 256), 0)
  assert.equal(widthIn({ level: 2, index: 0 }, 256 ** 3), 256)
})

test('L03 paths of tiles, both ways; paths that no log has are refused', () => {
  const known = {
    '0/000': { level: 0, index: 0, width: 256 },
    '0/x001/x234/067': { level: 0, index: 1_234_067, width: 256 },
    '1/123.p/45': { level: 1, index: 123, width: 45 },
    'entries/x123/456.p/255': { level: null, index: 123_456, width: 255 },
  }
  for (const [path, tile] of Object.entries(known)) {
    assert.deepEqual(readTilePath(path), tile)
    assert.equal(tilePathOf(tile), path)
  }
  const refused = ['0/0', '0/x000/001', '0/001.p/0', '0/001.p/256', '0/001.p/01', '7/000', '10/000', '0/1234', '-1/000']
  const worse = [
    '0/001/002',
    '0/x1/002',
    'data/000',
    '0/../000',
    '0/000.p',
    '',
    '0/000/',
    '0/x999/x999/x999/x999/x999/999',
  ]
  for (const path of [...refused, ...worse]) assert.equal(readTilePath(path), null, path)
})

test('L06 a changed hash in any tile of a proof is detected: the proof no longer leads to the root', () => {
  for (const name of tilesOfRanges(inclusionRanges(1, SIZE))) {
    const spoiled = Buffer.from(read(name))
    for (let at = 0; at < spoiled.length; at += 1) spoiled[at] = (spoiled[at] ?? 0) ^ 1
    const readSpoiled = (tile: TileName) => (keyOfTile(tile) === keyOfTile(name) ? spoiled : read(tile))
    const proof = inclusionRanges(1, SIZE).map((range) => hashOfLeaves(range, readSpoiled))
    assert.equal(isIncluded({ index: 1, size: SIZE, leaf: leafHash(leafOf(1)), proof }, rootOf(SIZE)), false)
  }
  const proof = inclusionOf(1, SIZE)
  assert.equal(isIncluded({ index: 1, size: SIZE, leaf: leafHash(leafOf(2)), proof }, rootOf(SIZE)), false)
  assert.throws(() => hashOfLeaves({ from: 0, to: SIZE + 1 }, read), TileIncomplete)
  assert.throws(() => growTiles(10, [leafHash(leafOf(10))], () => new Uint8Array(9 * 32)), TileIncomplete)
})

test('leaves can be read back from an entries tile, but not from a truncated tile', () => {
  const packed = packEntries(leaves.slice(0, 20))
  assert.deepEqual(unpackEntries(packed), leaves.slice(0, 20))
  assert.equal(unpackEntries(packed.subarray(0, -1)), null)
  assert.equal(unpackEntries(packed.subarray(0, 1)), null)
})

test('for sizes beyond 32 bits a proof has as many hashes as the tree is high', () => {
  const size = 2 ** 40 + 1
  assert.equal(inclusionRanges(0, size).length, 41)
  assert.deepEqual(inclusionRanges(2 ** 40, size), [{ from: 0, to: 2 ** 40 }])
  assert.deepEqual(consistencyRanges(2 ** 40, size), [{ from: 2 ** 40, to: size }])
})
