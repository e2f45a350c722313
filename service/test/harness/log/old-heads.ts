// Writes a chain head into the log as releases before blinding do, also during an upgrade.

import type { Realm } from '../../../src/core/tenants/domain/realm.ts'
import type { Deps } from '../../../src/deps.ts'
import { entryHash } from '../../../src/features/audit/domain/entry.ts'
import { taggedLeaf, tagOf } from '../../../src/features/audit/domain/head-leaves.ts'
import { signTreeHead } from '../../../src/features/transparency/domain/log/checkpoint.ts'
import { blindingKeyOf, logSigner, originOf } from '../../../src/features/transparency/domain/log/log-keys.ts'
import { leafHash } from '../../../src/features/transparency/domain/log/merkle.ts'
import {
  growTiles,
  hashOfLeaves,
  keyOfTile,
  packEntries,
  TILE_WIDTH,
  unpackEntries,
} from '../../../src/features/transparency/domain/log/tiles.ts'
import { ENTRIES_LEVEL, lockLog, saveTiles } from '../../../src/features/transparency/store/log.ts'
import type { Instant } from '../../../src/platform/world.ts'

/** Logs the newest entry of a realm's chain, and returns the stored position. */
export async function logOldHead({ db, derivedKeys, config }: Deps, realm: Realm): Promise<number> {
  return db.transaction(async (tx) => {
    const { size, origin } = await lockLog(tx)
    const [last] = await tx.query<{ seq: number; bytes: Buffer }>(
      {
        name: 'test_last_entry',
        text: 'select seq, bytes from audit_entries where tenant_id = $1 and environment = $2 order by seq desc limit 1',
      },
      [realm.tenantId, realm.environment],
    )
    if (last === undefined) throw new Error('the chain has no entries')
    const { at } = JSON.parse(last.bytes.toString('utf8')) as { at: Instant }
    const head = { seq: last.seq, hash: entryHash(last.bytes), at }
    const leaf = taggedLeaf(tagOf(blindingKeyOf(derivedKeys, realm.tenantId), realm), realm.environment, head)
    const rows = await tx.query<{ bytes: Buffer }>(
      { name: 'test_all_leaves', text: 'select bytes from log_tiles where level = $1 order by index' },
      [ENTRIES_LEVEL],
    )
    const leaves = [...rows.flatMap(({ bytes }) => unpackEntries(bytes) ?? []), leaf]
    const tiles = growTiles(0, leaves.map(leafHash), () => new Uint8Array(0))
    const hashes = new Map(tiles.map((tile) => [keyOfTile(tile), tile.hashes]))
    const root = hashOfLeaves({ from: 0, to: size + 1 }, (tile) => hashes.get(keyOfTile(tile)) ?? new Uint8Array(0))
    const lastTile = Math.floor(size / TILE_WIDTH)
    await saveTiles(tx, [
      ...tiles.map(({ level, index, hashes: bytes }) => ({ level, index, bytes })),
      { level: ENTRIES_LEVEL, index: lastTile, bytes: packEntries(leaves.slice(lastTile * TILE_WIDTH)) },
    ])
    await tx.query(
      {
        name: 'test_old_place',
        text: 'insert into log_chain_heads (tenant_id, environment, seq, leaf_index) values ($1, $2, $3, $4)',
      },
      [realm.tenantId, realm.environment, last.seq, size],
    )
    const name = origin ?? originOf(config.baseUrl)
    // What that release writes, without columns that it does not know.
    await tx.query(
      { name: 'test_old_head', text: `update log_heads set size = $1, origin = $2, note = $3, cosignatures = ''` },
      [size + 1, name, signTreeHead({ size: size + 1, root }, logSigner(derivedKeys, name))],
    )
    return size
  })
}
