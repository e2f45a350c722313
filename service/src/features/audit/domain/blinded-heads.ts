// The head of an audit chain as the log has it: two leaves that look like any other. The marker says, to whoever has the tenant's
// blinding key, that here is head number n of that chain and which entry it is; the commitment that follows binds the entry's hash. Heads are
// numbered without a gap, so a reader looks for one marker of each chain at a time, and misses none that was cut from a copy. Each epoch of
// the log has numbers of its own: what a restore lost may be in somebody's copy, and no marker of it is ever written again.

import { createHash, createHmac } from 'node:crypto'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Environment } from '../../../platform/world.ts'
import { FIRST_EPOCH } from '../../transparency/domain/log/checkpoint.ts'
import { contentOf, eightBytes, epochDigestOf, opaqueLeaf } from '../../transparency/domain/log/leaves.ts'

const COMMITMENT_LABEL = Buffer.from('vidimus-head-v2\0', 'ascii')
export const SALT_BYTES = 32
/** Of a marker's 32 bytes; the rest is masked. */
const TAG_BYTES = 24

const ORDINALS_OF_EPOCH = 2 ** 40

/** The first number that heads and entrances have in an epoch of the log. */
export const firstOrdinalOf = (epoch: number): number => (epoch - FIRST_EPOCH) * ORDINALS_OF_EPOCH

/** The last entry of a chain. */
export interface ChainEnd {
  readonly seq: number
  readonly hash: Uint8Array
}

/** Tenant and environment: nothing in one environment's leaves leads to the other's. */
export interface HeadKey {
  readonly markers: Buffer
  readonly salts: Buffer
}

export function headKeyOf(blindingKey: Uint8Array, environment: Environment): HeadKey {
  const derive = (use: string) =>
    createHmac('sha256', blindingKey).update(`head-v2\0${use}\0${environment}`, 'utf8').digest()
  return { markers: derive('markers'), salts: derive('salts') }
}

/** What opens one commitment and no other. */
export const headSalt = ({ salts }: HeadKey, ordinal: number): Buffer =>
  createHmac('sha256', salts).update(eightBytes(ordinal)).digest()

/** HMAC-SHA-256, under the salt, of the label, the number of the entry (8 bytes) and its hash. */
export const commitmentLeaf = (salt: Uint8Array, { seq, hash }: ChainEnd): Buffer =>
  opaqueLeaf(createHmac('sha256', salt).update(COMMITMENT_LABEL).update(eightBytes(seq)).update(hash).digest())

/** In this order, one behind the other. */
export const blindedHead = (key: HeadKey, ordinal: number, end: ChainEnd): [Buffer, Buffer] => [
  markerLeaf(key.markers, ordinal, eightBytes(end.seq)),
  commitmentLeaf(headSalt(key, ordinal), end),
]

/** 24 bytes by which it is found and 8 that say something, masked. */
export function markerLeaf(key: Uint8Array, ordinal: number, said: Uint8Array): Buffer {
  const bytes = maskOf(key, ordinal)
  for (const [i, byte] of said.entries()) bytes.writeUInt8(bytes.readUInt8(TAG_BYTES + i) ^ byte, TAG_BYTES + i)
  return opaqueLeaf(bytes)
}

const maskOf = (key: Uint8Array, ordinal: number): Buffer =>
  createHmac('sha256', key).update(eightBytes(ordinal)).digest()

/** That a chain entered the log, for the installation itself: of a tenant that is no longer in the store, no key is known. */
export const entranceLeaf = (entranceKey: Uint8Array, ordinal: number, realm: Realm): Buffer =>
  markerLeaf(entranceKey, ordinal, Buffer.from(fingerprintOf(realm), 'hex'))

/** Eight bytes, hex. */
export const fingerprintOf = ({ tenantId, environment }: Realm): string =>
  createHash('sha256').update(`${tenantId}\0${environment}`, 'utf8').digest('hex').slice(0, 16)

/** One row of numbered markers, which stand in each epoch of the log in their order. */
export interface MarkerRow {
  readonly key: Uint8Array
  /** What it gives back is called with the leaf behind the marker. */
  readonly found: (marker: FoundMarker) => ((next: Buffer) => void) | null
}

export interface FoundMarker {
  readonly ordinal: number
  readonly said: Buffer
  readonly index: number
}

export interface MarkerFinder {
  /** Every leaf, in order. */
  see(leaf: Buffer, index: number): void
  /** Of the last leaf; null: it is not known, and markers may have been missed. So it is where the checkpoint names another. */
  epoch(): number | null
}

/** By the digest in an epoch's leaf, hex. They are needed where a restore has lost the leaf of an epoch. */
export type EpochNumbers = ReadonlyMap<string, number>

/** One look into a map for each leaf, however many rows there are. */
export function createMarkerFinder(given: Iterable<MarkerRow>, numbers: EpochNumbers = new Map()): MarkerFinder {
  const rows = [...given]
  const expected = new Map<string, { readonly row: MarkerRow; readonly ordinal: number; readonly mask: Buffer }>()
  const expect = (row: MarkerRow, ordinal: number) => {
    const mask = maskOf(row.key, ordinal)
    expected.set(mask.toString('latin1', 0, TAG_BYTES), { row, ordinal, mask })
  }
  const expectAll = (epoch: number) => {
    expected.clear()
    for (const row of rows) expect(row, firstOrdinalOf(epoch))
  }
  let epoch = FIRST_EPOCH
  let epochLeaves = 0
  let isAssumed = false
  expectAll(epoch)
  let behind: ((leaf: Buffer) => void) | null = null
  return {
    see(leaf, index) {
      behind?.(leaf)
      behind = null
      const digest = epochDigestOf(leaf)
      if (digest !== null) {
        const named = numbers.get(digest)
        epochLeaves += 1
        isAssumed ||= named === undefined
        epoch = named ?? epoch + 1
        expectAll(epoch)
        return
      }
      const content = contentOf(leaf)
      const tag = content?.toString('latin1', 0, TAG_BYTES)
      const match = tag === undefined ? undefined : expected.get(tag)
      if (content === null || tag === undefined || match === undefined) return
      const { row, ordinal, mask } = match
      expected.delete(tag)
      expect(row, ordinal + 1)
      behind = row.found({ ordinal, said: unmask(content, mask), index })
    },
    epoch: () => (isAssumed && epochLeaves !== epoch - FIRST_EPOCH ? null : epoch),
  }
}

const unmask = (content: Buffer, mask: Buffer): Buffer =>
  Buffer.from(content.subarray(TAG_BYTES).map((byte, i) => byte ^ mask.readUInt8(TAG_BYTES + i)))

export const entranceRow = (key: Uint8Array, entered: (fingerprint: string) => void): MarkerRow => ({
  key,
  found({ said }) {
    entered(said.toString('hex'))
    return null
  },
})

/** A head as a reader of the log finds it. */
export interface BlindedHead {
  readonly ordinal: number
  readonly seq: number
  /** Where its commitment stands. */
  readonly index: number
  /** Whether it binds this hash. */
  readonly covers: (hash: Uint8Array) => boolean
}

export const headRow = (key: HeadKey, found: (head: BlindedHead) => void): MarkerRow => ({
  key: key.markers,
  // A copy: otherwise the whole tile would stay in memory.
  found: (marker) => (next) => found(openHeadMarker(key, marker, Buffer.from(next))),
})

function openHeadMarker(key: HeadKey, { ordinal, said, index }: FoundMarker, next: Buffer): BlindedHead {
  const seq = Number(said.readBigUInt64BE())
  return { ordinal, seq, index: index + 1, covers: (hash) => isCommitment(key, { ordinal, seq, hash }, next) }
}

const isCommitment = (key: HeadKey, head: ChainEnd & { readonly ordinal: number }, leaf: Buffer) =>
  commitmentLeaf(headSalt(key, head.ordinal), head).equals(leaf)

/** Head number `ordinal` in the two leaves that end at `index`; null where they are not that. */
export function openHeadAt(
  key: HeadKey,
  ordinal: number,
  at: { readonly marker: Buffer; readonly commitment: Buffer; readonly index: number },
): BlindedHead | null {
  const content = contentOf(at.marker)
  const mask = maskOf(key.markers, ordinal)
  if (content === null || !content.subarray(0, TAG_BYTES).equals(mask.subarray(0, TAG_BYTES))) return null
  return openHeadMarker(key, { ordinal, said: unmask(content, mask), index: at.index - 1 }, at.commitment)
}
