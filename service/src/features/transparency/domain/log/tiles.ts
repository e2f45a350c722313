// Splits the tree into tiles of 256 hashes, one level of tiles per eight levels of the tree (C2SP tlog-tiles).

import { HASH_BYTES, hashOfRange, type LeafRange, nodeHash, nodesOfRange, type TreeNode } from './merkle.ts'

export const TILE_WIDTH = 256
/** Levels of the tree in one level of tiles. */
const TILE_HEIGHT = 8
/** 256^6 leaves fit into a safe integer; 256^7 do not. */
const TILE_LEVEL_MAX = 6

export interface TileName {
  readonly level: number
  readonly index: number
}

/** A path below `tile/`; `level` is null for a tile of leaves. */
interface TilePath {
  readonly level: number | null
  readonly index: number
  readonly width: number
}

/** Reads the stored hashes of a tile. */
type TileReader = (tile: TileName) => Uint8Array

/** How many hashes a tree has at this level of tiles. */
const hashesAtLevel = (level: number, size: number) => Math.floor(size / TILE_WIDTH ** level)

/** How many hashes the tile has in a tree of this size; 0: the tree has no such tile. */
export function widthIn({ level, index }: TileName, size: number): number {
  return Math.max(0, Math.min(TILE_WIDTH, hashesAtLevel(level, size) - index * TILE_WIDTH))
}

/** The tile that contains a subtree's hash. */
function tileOfNode(node: TreeNode): TileName {
  const level = Math.floor(node.level / TILE_HEIGHT)
  const first = node.index * 2 ** (node.level % TILE_HEIGHT)
  return { level, index: Math.floor(first / TILE_WIDTH) }
}

/** Returns the tiles that contain the hashes of the ranges, without duplicates. */
export function tilesOfRanges(ranges: readonly LeafRange[]): TileName[] {
  const tiles = ranges.flatMap(nodesOfRange).map(tileOfNode)
  return [...new Map(tiles.map((tile) => [keyOfTile(tile), tile])).values()]
}

export const keyOfTile = ({ level, index }: TileName) => `${level}/${index}`

/** Throws if a tile is narrower than required. */
function hashOfNode(node: TreeNode, read: TileReader): Buffer {
  const tile = tileOfNode(node)
  const width = 2 ** (node.level % TILE_HEIGHT)
  const first = node.index * width - tile.index * TILE_WIDTH
  const hashes = read(tile)
  if (hashes.length < (first + width) * HASH_BYTES) throw new TileIncomplete(tile)
  return foldedOf(hashes.subarray(first * HASH_BYTES, (first + width) * HASH_BYTES))
}

export const hashOfLeaves = (range: LeafRange, read: TileReader): Buffer =>
  hashOfRange(range, (node) => hashOfNode(node, read))

export class TileIncomplete extends Error {
  override readonly name = 'TileIncomplete'

  constructor(tile: TileName) {
    super(`the log's tile ${keyOfTile(tile)} lacks hashes`)
  }
}

/** Combines hashes into the root of their subtree. Their number is a power of two. */
function foldedOf(hashes: Uint8Array): Buffer {
  if (hashes.length === HASH_BYTES) return Buffer.from(hashes)
  const middle = hashes.length / 2
  return nodeHash(foldedOf(hashes.subarray(0, middle)), foldedOf(hashes.subarray(middle)))
}

/** Returns the partial tiles at the end of a tree, lowest level first. Growing the tree reads them. */
export function edgeOf(size: number): TileName[] {
  const tiles: TileName[] = []
  for (let level = 0; hashesAtLevel(level, size) > 0; level += 1) {
    const count = hashesAtLevel(level, size)
    if (count % TILE_WIDTH !== 0) tiles.push({ level, index: Math.floor(count / TILE_WIDTH) })
  }
  return tiles
}

export interface GrownTile extends TileName {
  readonly hashes: Buffer
}

/**
 * Returns tiles that are new or wider after appending leaf hashes to a tree of `size`. `read` must know the tiles of
 * `edgeOf(size)`.
 */
export function growTiles(size: number, leafHashes: readonly Uint8Array[], read: TileReader): GrownTile[] {
  const grown: GrownTile[] = []
  let arriving: readonly Uint8Array[] = leafHashes
  for (let level = 0; arriving.length > 0; level += 1) {
    const before = hashesAtLevel(level, size)
    let index = Math.floor(before / TILE_WIDTH)
    const partial = before % TILE_WIDTH
    const edge = partial === 0 ? new Uint8Array(0) : read({ level, index })
    if (edge.length < partial * HASH_BYTES) throw new TileIncomplete({ level, index })
    const hashes = Buffer.concat([edge.subarray(0, partial * HASH_BYTES), ...arriving])
    const full: Buffer[] = []
    for (let at = 0; at < hashes.length; at += TILE_WIDTH * HASH_BYTES) {
      const tile = hashes.subarray(at, at + TILE_WIDTH * HASH_BYTES)
      grown.push({ level, index, hashes: tile })
      if (tile.length === TILE_WIDTH * HASH_BYTES) full.push(foldedOf(tile))
      index += 1
    }
    arriving = full
  }
  return grown
}

/** Reads a path such as `0/x001/x234/067` or `entries/000.p/12`. Returns null for a path that no log serves. */
export function readTilePath(path: string): TilePath | null {
  const match = /^(entries|\d)((?:\/x\d{3}){0,5}\/\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(path)
  if (match === null) return null
  const [, levelText = '', groups = '', widthText] = match
  // A leading group of zeros would be a second spelling of the same tile.
  if (groups.startsWith('/x000')) return null
  const index = Number(groups.replaceAll(/[/x]/g, ''))
  const level = levelText === 'entries' ? null : Number(levelText)
  const width = widthText === undefined ? TILE_WIDTH : Number(widthText)
  const fits = Number.isSafeInteger(index * TILE_WIDTH) && (level ?? 0) <= TILE_LEVEL_MAX
  if (!fits || (widthText !== undefined && width >= TILE_WIDTH)) return null
  return { level, index, width }
}

export function tilePathOf({ level, index, width }: TilePath): string {
  const digits = String(index)
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0')
  const groups = padded.match(/\d{3}/g) ?? []
  const named = groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join('/')
  return `${level ?? 'entries'}/${named}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

/** Encodes leaves for an entries tile, with each leaf's length in front of it. */
export function packEntries(leaves: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    leaves.flatMap((leaf) => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(leaf.length)
      return [length, leaf]
    }),
  )
}

/** Returns null if the bytes end within a leaf. */
export function unpackEntries(bytes: Uint8Array): Buffer[] | null {
  const copy = Buffer.from(bytes)
  const leaves: Buffer[] = []
  let at = 0
  while (at < copy.length) {
    if (at + 2 > copy.length) return null
    const end = at + 2 + copy.readUInt16BE(at)
    if (end > copy.length) return null
    leaves.push(copy.subarray(at + 2, end))
    at = end
  }
  return leaves
}
