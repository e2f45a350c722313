// Reads the whole log in the store and compares it with the last signed checkpoint.

import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { NEVER_STOPPED } from '../../../platform/world.ts'
import { type EpochMark, openTreeHead } from '../domain/log/checkpoint.ts'
import { type Cosigned, cosignersOf } from '../domain/log/cosignature.ts'
import { createFrontier } from '../domain/log/frontier.ts'
import { logSigner } from '../domain/log/log-keys.ts'
import { leafHash } from '../domain/log/merkle.ts'
import { type GrownTile, growTiles, keyOfTile, TILE_WIDTH, tilePathOf, unpackEntries } from '../domain/log/tiles.ts'
import { ENTRIES_LEVEL, loadLog, loadTiles } from '../store/log.ts'

export type WalkNeeds = Pick<Deps, 'db' | 'derivedKeys' | 'config'>

/** About 400 kB of leaves. */
const TILES_AT_ONCE = 16

/** The last signed checkpoint; `origin` is null if nothing was signed yet. */
export interface SignedLog {
  readonly size: number
  readonly root: Buffer
  readonly origin: string | null
  /** null: the first epoch. */
  readonly epoch: EpochMark | null
  readonly cosigned: readonly Cosigned[]
}

/** Returns the newest checkpoint in the store, or why it is invalid. */
export async function readSignedLog({ db, derivedKeys, config }: WalkNeeds): Promise<SignedLog | string> {
  const { size, origin, note, cosignatures } = await loadLog(db)
  if (origin === null || note === null) {
    const isEmpty = origin === null && note === null && size === 0
    return isEmpty
      ? { size, root: createFrontier().root(), origin, epoch: null, cosigned: [] }
      : 'the last checkpoint of the public log is missing from the store'
  }
  const opened = openTreeHead(note + cosignatures, logSigner(derivedKeys, origin))
  if (opened.outcome !== 'signed') return 'the last checkpoint of the public log was not signed by this service'
  const witnesses = config.witnesses.map(({ key }) => key)
  return { ...opened.head, cosigned: cosignersOf(opened.note, witnesses) }
}

/**
 * Compares the stored tiles of hashes with the leaves, because proofs and mirrors use these tiles. Takes the leaf
 * hashes in order, in whole tiles.
 */
function createHashTileCheck(tx: Tx) {
  let size = 0
  let edge = new Map<string, Uint8Array>()
  return {
    /** Returns the first tile that does not match; null: all match. */
    async findEdited(hashes: readonly Buffer[]): Promise<string | null> {
      const expected = growTiles(size, hashes, (tile) => edge.get(keyOfTile(tile)) ?? new Uint8Array(0))
      size += hashes.length
      edge = new Map(expected.map((tile) => [keyOfTile(tile), tile.hashes]))
      const stored = await loadTiles(tx, expected)
      // The stored tile may have grown since the checkpoint.
      const isSame = (tile: GrownTile) =>
        stored.get(keyOfTile(tile))?.subarray(0, tile.hashes.length).equals(tile.hashes) === true
      const edited = expected.find((tile) => !isSame(tile))
      return edited === undefined ? null : tilePathOf({ ...edited, width: TILE_WIDTH })
    },
  }
}

/** Calls `see` with each leaf and its index, in order. */
export async function scanLog(
  deps: WalkNeeds,
  see: (leaf: Buffer, index: number) => void,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<SignedLog | string> {
  const signed = await readSignedLog(deps)
  if (typeof signed === 'string') return signed
  const frontier = createFrontier()
  const hashTiles = createHashTileCheck(deps.db)
  let edited: string | null = null
  const tiles = Math.ceil(signed.size / TILE_WIDTH)
  for (let first = 0; first < tiles; first += TILES_AT_ONCE) {
    stopped.throwIfAborted()
    const names = Array.from({ length: Math.min(TILES_AT_ONCE, tiles - first) }, (_, i) => ({
      level: ENTRIES_LEVEL,
      index: first + i,
    }))
    const found = await loadTiles(deps.db, names)
    const hashes: Buffer[] = []
    for (const name of names) {
      const leaves = unpackEntries(found.get(keyOfTile(name)) ?? Buffer.alloc(0)) ?? []
      // The log may have grown since the checkpoint.
      for (const leaf of leaves.slice(0, signed.size - frontier.size)) {
        see(leaf, frontier.size)
        const hash = leafHash(leaf)
        hashes.push(hash)
        frontier.add(hash)
      }
    }
    edited ??= await hashTiles.findEdited(hashes)
  }
  if (frontier.size !== signed.size || !frontier.root().equals(signed.root))
    return 'the leaves of the public log in the store do not match its last checkpoint'
  return edited === null
    ? signed
    : `tile ${edited} of the public log in the store does not match its leaves: it was edited or lost`
}
