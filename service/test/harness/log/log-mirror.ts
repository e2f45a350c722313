// Reads a log like any stranger: checkpoint, key and tiles over HTTP; recomputes the tree from the leaves.

import assert from 'node:assert/strict'
import { openTreeHead } from '../../../src/features/transparency/domain/log/checkpoint.ts'
import { leafHash } from '../../../src/features/transparency/domain/log/merkle.ts'
import {
  growTiles,
  hashOfLeaves,
  keyOfTile,
  TILE_WIDTH,
  tilePathOf,
  unpackEntries,
} from '../../../src/features/transparency/domain/log/tiles.ts'
import { readNoteKey } from '../../../src/platform/signed-note.ts'
import type { TestService } from '../service.ts'

export interface Mirror {
  readonly size: number
  readonly root: Buffer
  readonly checkpoint: string
  readonly leaves: readonly Buffer[]
}

/** Fails if anything contradicts the signed checkpoint. */
export async function mirrorLog(service: TestService): Promise<Mirror> {
  const { text: checkpoint } = await service.call('GET', '/log/checkpoint')
  const opened = openTreeHead(checkpoint, await logKey(service))
  assert.ok(opened.outcome === 'signed', opened.outcome)
  const { size, root } = opened.head
  const leaves: Buffer[] = []
  for (let index = 0; leaves.length < size; index += 1) {
    const width = Math.min(TILE_WIDTH, size - leaves.length)
    const unpacked = unpackEntries(await tileBytes(service, tilePathOf({ level: null, index, width })))
    assert.equal(unpacked?.length, width)
    leaves.push(...(unpacked ?? []))
  }
  const grown = growTiles(0, leaves.map(leafHash), () => new Uint8Array(0))
  const tiles = new Map(grown.map((tile) => [keyOfTile(tile), tile.hashes]))
  const recomputed = hashOfLeaves({ from: 0, to: size }, (tile) => tiles.get(keyOfTile(tile)) ?? new Uint8Array(0))
  assert.deepEqual(recomputed, root)
  for (const { level, index, hashes } of grown) {
    const path = tilePathOf({ level, index, width: hashes.length / 32 })
    assert.deepEqual(await tileBytes(service, path), hashes, path)
  }
  return { size, root, checkpoint, leaves }
}

export async function logKey(service: TestService) {
  return readNoteKey((await service.call('GET', '/log/key')).text) ?? assert.fail('the key of the log is unreadable')
}

export async function tileBytes(service: TestService, path: string): Promise<Buffer> {
  const response = await service.app.inject({ method: 'GET', url: `/log/tile/${path}` })
  assert.equal(response.statusCode, 200, path)
  assert.match(String(response.headers['cache-control']), /^public, max-age=3600$/)
  return response.rawPayload
}
