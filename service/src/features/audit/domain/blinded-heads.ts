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
 * The two leaves of a head, in the order of the log: a marker with the entry's number, and a commitment to its hash,
 * `apart` leaves after it. They are apart because two leaves that are always together would show, by the gaps that
 * the owner of other leaves sees, how many heads a batch has.
 */
export const blindedHead = (key: HeadKey, ordinal: number, end: ChainEnd, apart: number): [Buffer, Buffer] => [
  markerLeaf(key.markers, ordinal, markerData(end.seq, apart)),
  commitmentLeaf(headSalt(key, ordinal), end),
]

/** The distance less one (2 bytes; 0 in older heads, whose leaves are together) and the entry's number (6 bytes). */
function markerData(seq: number, apart: number): Buffer {
  const data = Buffer.alloc(8)
  data.writeUInt16BE(apart - 1)
  data.writeUIntBE(seq, 2, 6)
  return data
}

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
  /** Called for each marker of the series. Returns which later leaf belongs to it; null: none. */
  readonly found: (marker: FoundMarker) => LaterLeaf | null
}

interface LaterLeaf {
  readonly index: number
  readonly read: (leaf: Buffer) => void
}

interface FoundMarker {
  readonly ordinal: number
  readonly data: Buffer
  readonly index: number
}

export interface MarkerFinder {
  /** Call it with every leaf, in order. */
  see(leaf: Buffer, index: number): void
  /** The epoch of the last leaf. If it is null or not the checkpoint's, heads may have been missed. */
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
  const later = new Map<number, LaterLeaf['read']>()
  // A marker without a commitment of its own.
  let isHeadLost = false
  return {
    see(leaf, index) {
      later.get(index)?.(leaf)
      later.delete(index)
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
      const belonging = row.found({ ordinal, data: unmask(content, mask), index })
      isHeadLost ||= belonging !== null && later.has(belonging.index)
      if (belonging !== null) later.set(belonging.index, belonging.read)
    },
    epoch() {
      const isUnknown = isAssumed && epochLeaves !== epoch - FIRST_EPOCH
      return isUnknown || isHeadLost || later.size > 0 ? null : epoch
    },
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
  found({ ordinal, data, index: markerIndex }) {
    const { apart, seq } = readMarkerData(data)
    const index = markerIndex + apart
    return {
      index,
      read(leaf) {
        // Copies the leaf: a view would keep the whole tile in memory.
        const own = Buffer.from(leaf)
        found({ ordinal, seq, index, covers: (hash) => isCommitment(key, { ordinal, seq, hash }, own) })
      },
    }
  },
})

const readMarkerData = (data: Buffer) => ({ apart: data.readUInt16BE() + 1, seq: data.readUIntBE(2, 6) })

/**
 * Finds the marker of the head with this ordinal, whose commitment is at `index`, among the leaves before it. null if
 * it is not there, or belongs to another commitment.
 */
export function findMarker(
  key: HeadKey,
  { ordinal, index }: { readonly ordinal: number; readonly index: number },
  leaves: ReadonlyMap<number, Buffer>,
): { readonly index: number; readonly seq: number } | null {
  const mask = maskOf(key.markers, ordinal)
  for (const [at, leaf] of leaves) {
    const content = contentOf(leaf)
    if (content === null || !content.subarray(0, TAG_BYTES).equals(mask.subarray(0, TAG_BYTES))) continue
    const { apart, seq } = readMarkerData(unmask(content, mask))
    return at + apart === index ? { index: at, seq } : null
  }
  return null
}

export const isCommitment = (key: HeadKey, head: ChainEnd & { readonly ordinal: number }, leaf: Buffer): boolean =>
  commitmentLeaf(headSalt(key, head.ordinal), head).equals(leaf)
