// Builds the proof of a leaf from the public tiles of the log (C2SP tlog-tiles), for a receipt without a proof.

import { type Bytes, joined, sha256 } from '../../../sdk/typescript/src/bytes.ts'

const WIDTH = 256
const HASH_BYTES = 32

type Fetch = (path: string) => Promise<Bytes>

/** Returns a proof file; null: the log has no such leaf. `salt`: the salt of the leaf in base64, if it has one. */
export async function proofFromTiles(
  { index, salt }: { readonly index: number; readonly salt: string | null },
  checkpoint: string,
  fetchTile: Fetch,
): Promise<string | null> {
  const size = Number(checkpoint.split('\n')[1])
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(index) || index < 0 || index >= size) return null
  const tiles = new Map<string, Promise<Bytes>>()
  const read = (level: number, tile: number): Promise<Bytes> => {
    const path = tilePath(level, tile, size)
    const found = tiles.get(path) ?? fetchTile(path)
    tiles.set(path, found)
    return found
  }
  const hashes: Bytes[] = []
  for (const [from, to] of siblingsOf(index, size)) hashes.push(await hashOf(from, to, read))
  const extra = salt === null ? [] : [`extra ${salt}`]
  const lines = ['c2sp.org/tlog-proof@v1', ...extra, `index ${index}`, ...hashes.map(base64)]
  return `${lines.join('\n')}\n\n${checkpoint}`
}

/** The ranges of leaves whose hashes lead from a leaf to the root, from the leaf up (RFC 6962 §2.1.1). */
function siblingsOf(index: number, size: number): readonly (readonly [number, number])[] {
  const siblings: (readonly [number, number])[] = []
  let [from, to] = [0, size]
  while (to - from > 1) {
    const middle = from + halfOf(to - from)
    const isLeft = index < middle
    siblings.unshift(isLeft ? [middle, to] : [from, middle])
    if (isLeft) to = middle
    else from = middle
  }
  return siblings
}

/** Returns the largest power of two below a number. */
function halfOf(count: number): number {
  let half = 1
  while (half * 2 < count) half *= 2
  return half
}

async function hashOf(from: number, to: number, read: (level: number, tile: number) => Promise<Bytes>): Promise<Bytes> {
  const count = to - from
  const level = levelOf(count)
  if (level !== null) {
    const nth = from / WIDTH ** level
    const bytes = await read(level, Math.floor(nth / WIDTH))
    const at = (nth % WIDTH) * HASH_BYTES
    if (bytes.length < at + HASH_BYTES) throw new Error('the tile is too short')
    return bytes.slice(at, at + HASH_BYTES)
  }
  const middle = from + halfOf(count)
  const [left, right] = [await hashOf(from, middle, read), await hashOf(middle, to, read)]
  return sha256(joined([Uint8Array.of(1), left, right]))
}

/** Returns the level on which one hash covers this many leaves; null: none. */
function levelOf(count: number): number | null {
  for (let [level, covered] = [0, 1]; covered <= count; level += 1, covered *= WIDTH)
    if (covered === count) return level
  return null
}

function tilePath(level: number, tile: number, size: number): string {
  const width = Math.min(WIDTH, Math.floor(size / WIDTH ** level) - tile * WIDTH)
  const groups = String(tile)
    .padStart(Math.ceil(String(tile).length / 3) * 3, '0')
    .match(/\d{3}/g)
  const name = (groups ?? []).map((group, i, all) => (i < all.length - 1 ? `x${group}` : group)).join('/')
  return `tile/${level}/${name}${width < WIDTH ? `.p/${width}` : ''}`
}

const base64 = (bytes: Bytes) => btoa(String.fromCharCode(...bytes))
