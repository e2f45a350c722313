// Builds leaves of the log: a label and 32 bytes that reveal nothing without their source.

import { createHash, createHmac } from 'node:crypto'

/**
 * The label of receipts since the first release. All other leaves have it too, also padding, so that all leaves look
 * the same and every verifier knows it.
 */
const LEAF_LABEL = Buffer.from('vidimus-receipt-v1\0', 'ascii')
/** The first leaf of an epoch: the digest of the statement that opened it. Both are public. */
const EPOCH_LABEL = Buffer.from('vidimus-epoch-v1\0', 'ascii')
export const LEAF_CONTENT_BYTES = 32

export const opaqueLeaf = (content: Uint8Array): Buffer => Buffer.concat([LEAF_LABEL, content])

export const epochLeafOf = (digest: Uint8Array): Buffer => Buffer.concat([EPOCH_LABEL, digest])

/** The digest of the statement in hex; null if the leaf opens no epoch. */
export const epochDigestOf = (leaf: Buffer): string | null =>
  leaf.length === EPOCH_LABEL.length + LEAF_CONTENT_BYTES && leaf.subarray(0, EPOCH_LABEL.length).equals(EPOCH_LABEL)
    ? leaf.toString('hex', EPOCH_LABEL.length)
    : null

/** The 32 bytes; null if an older release wrote the leaf for the audit trail. */
export const contentOf = (leaf: Buffer): Buffer | null =>
  leaf.length === LEAF_LABEL.length + LEAF_CONTENT_BYTES && leaf.subarray(0, LEAF_LABEL.length).equals(LEAF_LABEL)
    ? leaf.subarray(LEAF_LABEL.length)
    : null

/**
 * Hashes the receipt as issued. No other party can compute it: a receipt contains MACs under a salt of 32 random bytes
 * and a randomised signature, so even a holder who knows everything else in it cannot.
 */
export const receiptLeaf = (jws: string): Buffer => opaqueLeaf(createHash('sha256').update(jws, 'ascii').digest())

/**
 * The leaf of a receipt that is in another log too. The salt, which only its proof contains, prevents linking both
 * logs.
 */
export const saltedReceiptLeaf = (jws: string, salt: Uint8Array): Buffer =>
  opaqueLeaf(createHmac('sha256', salt).update(jws, 'ascii').digest())

export const LEAF_SALT_BYTES = 32

export function eightBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
