// Heads of audit chains as leaves of the log, which reveal nothing without the tenant's blinding key.

import { createHash, createHmac } from 'node:crypto'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Environment } from '../../../platform/world.ts'
import { FIRST_EPOCH } from '../../transparency/domain/log/checkpoint.ts'
import { contentOf, eightBytes, epochDigestOf, opaqueLeaf } from '../../transparency/domain/log/leaves.ts'

const COMMITMENT_LABEL = Buffer.from('vidimus-head-v2\0', 'ascii')
export const SALT_BYTES = 32
/** How many of a marker's 32 bytes identify it. The other 8 are masked data. */
const TAG_BYTES = 24

const ORDINALS_OF_EPOCH = 2 ** 40

/**
 * The first ordinal in an epoch. A restore can lose markers that copies of the log still have, so no two epochs share
 * ordinals.
 */
export const firstOrdinalOf = (epoch: number): number => (epoch - FIRST_EPOCH) * ORDINALS_OF_EPOCH

/** The last entry of a chain. */
export interface ChainEnd {
  readonly seq: number
  readonly hash: Uint8Array
}

/** The keys of one realm, so that the leaves of one environment do not reveal those of the other. */
interface HeadKey {
  readonly markers: Buffer
  readonly salts: Buffer
}

export function headKeyOf(blindingKey: Uint8Array, environment: Environment): HeadKey {
  const derive = (use: string) =>
    createHmac('sha256', blindingKey).update(`head-v2\0${use}\0${environment}`, 'utf8').digest()
  return { markers: derive('markers'), salts: derive('salts') }
}

/** The salt of one commitment. It opens no other. */
export const headSalt = ({ salts }: HeadKey, ordinal: number): Buffer =>
  createHmac('sha256', salts).update(eightBytes(ordinal)).digest()

/** HMAC-SHA-256 under the salt, over the label, the entry's number (8 bytes) and the entry's hash. */
export const commitmentLeaf = (salt: Uint8Array, { seq, hash }: ChainEnd): Buffer =>
  opaqueLeaf(createHmac('sha256', salt).update(COMMITMENT_LABEL).update(eightBytes(seq)).update(hash).digest())

/**
 * The two leaves of a head, in the order of the log: a marker with the entry's number, and a commitment to its hash.
 */
export const blindedHead = (key: HeadKey, ordinal: number, end: ChainEnd): [Buffer, Buffer] => [
  markerLeaf(key.markers, ordinal, eightBytes(end.seq)),
  commitmentLeaf(headSalt(key, ordinal), end),
]

/** 24 bytes that identify the marker and 8 masked bytes of data. */
function markerLeaf(key: Uint8Array, ordinal: number, data: Uint8Array): Buffer {
  const bytes = maskOf(key, ordinal)
  for (const [i, byte] of data.entries()) bytes.writeUInt8(bytes.readUInt8(TAG_BYTES + i) ^ byte, TAG_BYTES + i)
  return opaqueLeaf(bytes)
}

const maskOf = (key: Uint8Array, ordinal: number): Buffer =>
  createHmac('sha256', key).update(eightBytes(ordinal)).digest()

/** Records in the log that a chain entered it. So a check notices if the store loses a whole tenant. */
export const entranceLeaf = (entranceKey: Uint8Array, ordinal: number, realm: Realm): Buffer =>
  markerLeaf(entranceKey, ordinal, Buffer.from(fingerprintOf(realm), 'hex'))

/** Eight bytes in hex. */
export const fingerprintOf = ({ tenantId, environment }: Realm): string =>
  createHash('sha256').update(`${tenantId}\0${environment}`, 'utf8').digest('hex').slice(0, 16)

/** A series of markers, numbered without gaps in each epoch, so that a reader notices a missing marker. */
export interface MarkerRow {
  readonly key: Uint8Array
  /** Called for each marker of the series. Returns a function that gets the next leaf, or null if it is not needed. */
  readonly found: (marker: FoundMarker) => ((next: Buffer) => void) | null
}

interface FoundMarker {
  readonly ordinal: number
  readonly data: Buffer
  readonly index: number
}

export interface MarkerFinder {
  /** Call it with every leaf, in order. */
  see(leaf: Buffer, index: number): void
  /** The epoch of the last leaf. If it is null or not the checkpoint's, markers may have been missed. */
  epoch(): number | null
}

/** Epoch numbers by the digest (hex) in the epoch's leaf. Needed if a restore lost such a leaf. */
export type EpochNumbers = ReadonlyMap<string, number>

/** Costs one map lookup per leaf, whatever the number of series. */
export function createMarkerFinder(series: Iterable<MarkerRow>, numbers: EpochNumbers = new Map()): MarkerFinder {
  const rows = [...series]
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
  let readNextLeaf: ((leaf: Buffer) => void) | null = null
  return {
    see(leaf, index) {
      readNextLeaf?.(leaf)
      readNextLeaf = null
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
      readNextLeaf = row.found({ ordinal, data: unmask(content, mask), index })
    },
    epoch: () => (isAssumed && epochLeaves !== epoch - FIRST_EPOCH ? null : epoch),
  }
}

const unmask = (content: Buffer, mask: Buffer): Buffer =>
  Buffer.from(content.subarray(TAG_BYTES).map((byte, i) => byte ^ mask.readUInt8(TAG_BYTES + i)))

export const entranceRow = (key: Uint8Array, entered: (fingerprint: string) => void): MarkerRow => ({
  key,
  found({ data }) {
    entered(data.toString('hex'))
    return null
  },
})

/** A head as a reader of the log finds it. */
interface BlindedHead {
  readonly ordinal: number
  readonly seq: number
  /** The index of its commitment. */
  readonly index: number
  /** Whether the commitment is to this hash. */
  readonly covers: (hash: Uint8Array) => boolean
}

export const headRow = (key: HeadKey, found: (head: BlindedHead) => void): MarkerRow => ({
  key: key.markers,
  // Copies the leaf: a view would keep the whole tile in memory.
  found: (marker) => (next) => found(openHeadMarker(key, marker, Buffer.from(next))),
})

function openHeadMarker(key: HeadKey, { ordinal, data, index }: FoundMarker, next: Buffer): BlindedHead {
  const seq = Number(data.readBigUInt64BE())
  return { ordinal, seq, index: index + 1, covers: (hash) => isCommitment(key, { ordinal, seq, hash }, next) }
}

const isCommitment = (key: HeadKey, head: ChainEnd & { readonly ordinal: number }, leaf: Buffer) =>
  commitmentLeaf(headSalt(key, head.ordinal), head).equals(leaf)

/** Opens the head with this ordinal from its two leaves, the second at `index`. null if they are not that head's. */
export function openHeadAt(
  key: HeadKey,
  ordinal: number,
  at: { readonly marker: Buffer; readonly commitment: Buffer; readonly index: number },
): BlindedHead | null {
  const content = contentOf(at.marker)
  const mask = maskOf(key.markers, ordinal)
  if (content === null || !content.subarray(0, TAG_BYTES).equals(mask.subarray(0, TAG_BYTES))) return null
  return openHeadMarker(key, { ordinal, data: unmask(content, mask), index: at.index - 1 }, at.commitment)
}
