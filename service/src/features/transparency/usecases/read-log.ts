// Reads the public log: checkpoint, tiles and key. A proof needs only a few tiles, whatever the size of the log.

import type { Principal } from '../../../core/tenants/domain/principal.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { renderNoteKey } from '../../../platform/signed-note.ts'
import { logSigner, originOf } from '../domain/log/log-keys.ts'
import {
  consistencyRanges,
  HASH_BYTES,
  inclusionRanges,
  isIncluded,
  type LeafRange,
  type TreeHead,
} from '../domain/log/merkle.ts'
import { renderProof } from '../domain/log/proof-file.ts'
import {
  hashOfLeaves,
  packEntries,
  readTilePath,
  TileIncomplete,
  tilesOfRanges,
  unpackEntries,
} from '../domain/log/tiles.ts'
import { ENTRIES_LEVEL, loadLog, loadTiles } from '../store/log.ts'
import { loadReceipt } from '../store/receipts.ts'
import { readFrom } from './grow-log.ts'
import { readReceipt, requireSigned } from './read-receipt.ts'

/** The log grows once a minute. */
export const NOT_YET_SECONDS = 60

export async function readCheckpoint(deps: Pick<Deps, 'db'>): Promise<string> {
  const { note, cosignatures } = await loadLog(deps.db)
  if (note === null) throw new Refusal('not_found')
  return note + cosignatures
}

/** In the format of C2SP note verifiers. */
export async function readLogKey(deps: Pick<Deps, 'db' | 'derivedKeys' | 'config'>): Promise<string> {
  const { origin } = await loadLog(deps.db)
  return renderNoteKey(logSigner(deps.derivedKeys, origin ?? originOf(deps.config.baseUrl)))
}

/** `path` is the part after `tile/`. A grown tile begins with the bytes of its narrower versions, so those can still be served. */
export async function readTile(deps: Pick<Deps, 'db'>, path: string): Promise<Buffer> {
  const wanted = readTilePath(path)
  if (wanted === null) throw new Refusal('not_found')
  const level = wanted.level ?? ENTRIES_LEVEL
  const [bytes] = (await loadTiles(deps.db, [{ level, index: wanted.index }])).values()
  const narrowed = bytes === undefined ? null : narrow(bytes, wanted.level === null, wanted.width)
  if (narrowed === null) throw new Refusal('not_found')
  return narrowed
}

function narrow(bytes: Buffer, areEntries: boolean, width: number): Buffer | null {
  if (!areEntries) return bytes.length < width * HASH_BYTES ? null : bytes.subarray(0, width * HASH_BYTES)
  const leaves = unpackEntries(bytes)
  return leaves === null || leaves.length < width ? null : packEntries(leaves.slice(0, width))
}

/** Returns the file that proves that a receipt is in the log. */
export async function readReceiptProof(
  deps: Pick<Deps, 'db'>,
  input: { readonly principal: Principal; readonly id: string },
): Promise<string> {
  const { leafIndex, leafSalt } = await readReceipt(deps, input)
  if (leafIndex === null) throw new Refusal('unavailable', { retryAfterSeconds: NOT_YET_SECONDS, missing: 'not_yet' })
  return proveLeaf(deps.db, leafIndex, leafSalt)
}

/** `salt`: the salt of the receipt's leaf, if it has one. */
export async function proveLeaf(tx: Tx, index: number, salt: Buffer | null = null): Promise<string> {
  const { size, note, cosignatures } = await loadLog(tx)
  if (note === null || index >= size) throw new Error('bug: a leaf beyond the end of the log')
  const hashes = await hashesOf(tx, inclusionRanges(index, size))
  return renderProof({ index, hashes, checkpoint: note + cosignatures, extra: salt })
}

/** Proves that the tree of one size extends that of another. */
export const proveConsistency = (tx: Tx, old: number, size: number): Promise<Buffer[]> =>
  hashesOf(tx, consistencyRanges(old, size))

/** Whether the tiles prove this leaf under the signed root. */
export async function isLeafIn(
  tx: Tx,
  { index, leaf }: { readonly index: number; readonly leaf: Buffer },
  { size, root }: TreeHead,
): Promise<boolean> {
  try {
    const proof = await hashesOf(tx, inclusionRanges(index, size))
    return isIncluded({ index, size, leaf, proof }, root)
  } catch (error) {
    if (error instanceof TileIncomplete) return false
    throw error
  }
}

async function hashesOf(tx: Tx, ranges: readonly LeafRange[]): Promise<Buffer[]> {
  const tiles = await loadTiles(tx, tilesOfRanges(ranges))
  return ranges.map((range) => hashOfLeaves(range, readFrom(tiles)))
}

/** For staff: returns the files that exist, even if the verification was deleted. */
export async function readReceiptFiles(
  deps: Pick<Deps, 'db'>,
  realm: Realm,
  id: string,
): Promise<{ readonly receipt: string; readonly proof: string | null }> {
  const found = isVerificationId(id) ? await loadReceipt(deps.db, realm, id) : null
  const { jws, leafIndex, leafSalt } = requireSigned(found)
  return { receipt: jws, proof: leafIndex === null ? null : await proveLeaf(deps.db, leafIndex, leafSalt) }
}
