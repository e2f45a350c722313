// What a leaf of the log is: a label and 32 bytes that tell nothing to whoever does not have what they were made from. A receipt's
// are its digest; those of heads of audit chains are in blinded-heads.ts; the rest is padding. Heads of older releases are read here.

import { createHash, createHmac } from 'node:crypto'
import type { Realm } from '../../../../core/tenants/domain/realm.ts'
import { ENVIRONMENTS, type Environment, millisecondsOf } from '../../../../platform/world.ts'
import type { AuditHead } from '../../../audit/domain/entry.ts'

const HEAD_LABEL = Buffer.from('vidimus-head-v1\0', 'ascii')
/** That of receipts since the first release. Heads and padding have it too: nobody tells them apart, and every verifier knows it. */
const LEAF_LABEL = Buffer.from('vidimus-receipt-v1\0', 'ascii')
/** The first leaf of an epoch: the digest of the statement that opened it. Public, as the statement is. */
const EPOCH_LABEL = Buffer.from('vidimus-epoch-v1\0', 'ascii')
export const LEAF_CONTENT_BYTES = 32
export const TAG_BYTES = 32
const HEAD_LEAF_BYTES = HEAD_LABEL.length + TAG_BYTES + 1 + 8 + 32 + 8
const ENVIRONMENT_BYTE: Readonly<Record<Environment, number>> = { test: 0, live: 1 }

export const opaqueLeaf = (content: Uint8Array): Buffer => Buffer.concat([LEAF_LABEL, content])

export const epochLeafOf = (digest: Uint8Array): Buffer => Buffer.concat([EPOCH_LABEL, digest])

/** The digest of the statement, hex; null where the leaf opens no epoch. */
export const epochDigestOf = (leaf: Buffer): string | null =>
  leaf.length === EPOCH_LABEL.length + LEAF_CONTENT_BYTES && leaf.subarray(0, EPOCH_LABEL.length).equals(EPOCH_LABEL)
    ? leaf.toString('hex', EPOCH_LABEL.length)
    : null

/** The 32 bytes; null where the leaf is a head of an older release. */
export const contentOf = (leaf: Buffer): Buffer | null =>
  leaf.length === LEAF_LABEL.length + LEAF_CONTENT_BYTES && leaf.subarray(0, LEAF_LABEL.length).equals(LEAF_LABEL)
    ? leaf.subarray(LEAF_LABEL.length)
    : null

/**
 * A head as releases before blinding wrote it: label, tag (32), environment (1), number of the entry (8), its hash (32), its time in
 * microseconds (8). Such leaves stay in the log, and in exports made of them.
 */
export function taggedLeaf(tag: Uint8Array, environment: Environment, head: AuditHead): Buffer {
  return Buffer.concat([
    HEAD_LABEL,
    tag,
    Uint8Array.of(ENVIRONMENT_BYTE[environment]),
    eightBytes(head.seq),
    head.hash,
    eightBytes(Math.round(millisecondsOf(head.at) * 1000)),
  ])
}

/** What a head's leaf says, whoever it is of. */
export interface HeadLeaf {
  readonly tag: Buffer
  readonly environment: Environment
  readonly seq: number
  readonly hash: Buffer
  /** When that entry was made, in microseconds. */
  readonly atMicros: number
}

/** null where the leaf is no head of a chain. */
export function readHeadLeaf(leaf: Buffer): HeadLeaf | null {
  const at = HEAD_LABEL.length + TAG_BYTES
  if (leaf.length !== HEAD_LEAF_BYTES || !leaf.subarray(0, HEAD_LABEL.length).equals(HEAD_LABEL)) return null
  const environment = ENVIRONMENTS.find((name) => ENVIRONMENT_BYTE[name] === leaf[at])
  if (environment === undefined) return null
  return {
    tag: leaf.subarray(HEAD_LABEL.length, at),
    environment,
    seq: Number(leaf.readBigUInt64BE(at + 1)),
    hash: leaf.subarray(at + 9, at + 41),
    atMicros: Number(leaf.readBigUInt64BE(at + 41)),
  }
}

export interface TenantLeaf {
  readonly seq: number
  readonly hash: Buffer
}

/** What the leaf says of this realm's chain; null where it is another's, or no head of a chain. */
export function tenantLeafOf(leaf: Buffer, blindingKey: Uint8Array, realm: Realm): TenantLeaf | null {
  const head = readHeadLeaf(leaf)
  if (head === null || head.environment !== realm.environment || !head.tag.equals(tagOf(blindingKey, realm)))
    return null
  return { seq: head.seq, hash: head.hash }
}

/** The same in each of a tenant's leaves. */
export const tagOf = (blindingKey: Uint8Array, { tenantId }: Realm) =>
  createHmac('sha256', blindingKey).update(tenantId, 'utf8').digest()

/**
 * Over the receipt as it is handed out. Nobody else can make it: a receipt holds MACs under a salt of 32 random bytes and a randomised
 * signature, also for a holder who knows everything else in it.
 */
export const receiptLeaf = (jws: string): Buffer => opaqueLeaf(createHash('sha256').update(jws, 'ascii').digest())

export function eightBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
