// Reads leaves of the log from its tiles.

import type { Tx } from '../../../platform/postgres/db.ts'
import { keyOfTile, TILE_WIDTH, unpackEntries } from '../domain/log/tiles.ts'
import { ENTRIES_LEVEL, loadTiles } from '../store/log.ts'

/** Maps each index to its leaf; missing leaves are left out. */
export async function loadLeaves(tx: Tx, indexes: readonly number[]): Promise<Map<number, Buffer>> {
  const tileOf = (index: number) => ({ level: ENTRIES_LEVEL, index: Math.floor(index / TILE_WIDTH) })
  const names = new Map(indexes.map((index) => [keyOfTile(tileOf(index)), tileOf(index)]))
  const tiles = await loadTiles(tx, [...names.values()])
  const unpacked = new Map([...tiles].map(([key, bytes]) => [key, unpackEntries(bytes) ?? []]))
  return new Map(
    indexes.flatMap((index) => {
      const leaf = unpacked.get(keyOfTile(tileOf(index)))?.[index % TILE_WIDTH]
      return leaf === undefined ? [] : [[index, leaf] as const]
    }),
  )
}
