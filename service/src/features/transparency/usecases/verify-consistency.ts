// Verifies offline that one checkpoint extends another, with the log's public key and a few tiles.

import { openTreeHead } from '../domain/log/checkpoint.ts'
import { cosignersOf } from '../domain/log/cosignature.ts'
import { epochCosigners, fateOfTreeHead, isEpochSequence, lostIn } from '../domain/log/epoch.ts'
import { broken, type LogFindings, NO_WITNESS } from '../domain/log/findings.ts'
import { consistencyRanges, isConsistent } from '../domain/log/merkle.ts'
import type { ProofKeys } from '../domain/log/proof-file.ts'
import {
  hashOfLeaves,
  keyOfTile,
  TILE_WIDTH,
  TileIncomplete,
  type TileName,
  tilePathOf,
  tilesOfRanges,
  widthIn,
} from '../domain/log/tiles.ts'
import { beyondStatement, type Mirror, OTHER_EPOCHS, openEpochs, witnessedBy } from './verify-log.ts'

interface TwoCheckpoints extends Pick<Mirror, 'read'> {
  readonly keys: ProofKeys
  readonly older: string
  readonly newer: string
  /** Statements of epochs, from the second on. */
  readonly epochs: readonly string[]
}

export async function verifyConsistency({ read, keys, older, newer, epochs }: TwoCheckpoints): Promise<LogFindings> {
  const [from, to] = [openTreeHead(older, keys.log), openTreeHead(newer, keys.log)]
  if (from.outcome !== 'signed' || to.outcome !== 'signed') return broken('a checkpoint was not signed by this log')
  const [before, after] = [from.head, to.head]
  const statements = openEpochs(epochs, keys)
  if (typeof statements === 'string') return broken(statements)
  if (statements.length > 0 && !isEpochSequence(statements, after.epoch)) return broken(OTHER_EPOCHS)
  const fate = fateOfTreeHead(before, statements)
  if (fate.outcome === 'unaccounted') return broken(beyondStatement(before.size))
  if (fate.outcome === 'lost') {
    const { statement } = fate
    const cosigned = epochCosigners(statement, keys.witnesses).map(
      ({ witness }) => `the witness ${witness} has cosigned that`,
    )
    const lost = `of the ${before.size} leaves of the older checkpoint, those from ${statement.restored.size} on were ${lostIn(statement)}`
    return { outcome: 'lost', proven: cosigned, notProven: [lost] }
  }
  if (before.size > after.size)
    return broken(`the older checkpoint covers ${before.size} leaves, the newer ${after.size}`)
  const proof = await proofFrom(read, before.size, after.size)
  if (proof === null) return broken('the mirror lacks tiles of the newer checkpoint')
  if (!isConsistent(before, after, proof)) {
    return broken(`the first ${before.size} leaves differ in the newer checkpoint: the log was forked`)
  }
  const cosigned = cosignersOf(to.note, keys.witnesses)
  return {
    outcome: 'proven',
    proven: [
      `the log ${after.origin} grew from ${before.size} leaves to ${after.size} without a break`,
      ...witnessedBy(cosigned),
    ],
    notProven: [
      ...(cosigned.length === 0 ? [NO_WITNESS] : []),
      'what the leaves are: this needs the whole mirror (without --from)',
    ],
  }
}

/** Returns null if a tile is missing or too narrow. */
async function proofFrom(read: Mirror['read'], old: number, size: number): Promise<Buffer[] | null> {
  const ranges = consistencyRanges(old, size)
  const tiles = new Map<string, Buffer>()
  for (const tile of tilesOfRanges(ranges)) {
    const bytes = await readTileIn(read, tile, size)
    if (bytes !== null) tiles.set(keyOfTile(tile), bytes)
  }
  try {
    return ranges.map((range) => hashOfLeaves(range, (tile) => tiles.get(keyOfTile(tile)) ?? new Uint8Array(0)))
  } catch (error) {
    if (error instanceof TileIncomplete) return null
    throw error
  }
}

/** Reads a tile at the width that it has in a tree of that size. The mirror may have a wider version. */
async function readTileIn(read: Mirror['read'], tile: TileName, size: number): Promise<Buffer | null> {
  const { level, index } = tile
  const exact = await read(`tile/${tilePathOf({ level, index, width: widthIn(tile, size) })}`)
  return exact ?? read(`tile/${tilePathOf({ level, index, width: TILE_WIDTH })}`)
}
