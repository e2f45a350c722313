// Builds leaves of the log: a label and 32 bytes. Without the hashed source, the bytes reveal nothing.

import { createHash, createHmac } from 'node:crypto'

/**
 * All leaves, even padding, use the label that the first release gave to receipts. So all leaves look the same, and
 * every verifier knows the label.
 */
const LEAF_LABEL = Buffer.from('vidimus-receipt-v1\0', 'ascii')
/** The first leaf of an epoch: the digest of the statement that opened it. Both are public. */
const EPOCH_LABEL = Buffer.from('vidimus-epoch-v1\0', 'ascii')
export const LEAF_CONTENT_BYTES = 32

export const opaqueLeaf = (content: Uint8Array): Buffer => Buffer.concat([LEAF_LABEL, content])

export const epochLeafOf = (digest: Uint8Array): Buffer => Buffer.concat([EPOCH_LABEL, digest])

/** The digest of the statement (hex); null if the leaf does not open an epoch. */
export const epochDigestOf = (leaf: Buffer): string | null =>
  leaf.length === EPOCH_LABEL.length + LEAF_CONTENT_BYTES && leaf.subarray(0, EPOCH_LABEL.length).equals(EPOCH_LABEL)
    ? leaf.toString('hex', EPOCH_LABEL.length)
    : null

/** The 32 bytes after the label; null for a leaf that an older release wrote for the audit trail. */
export const contentOf = (leaf: Buffer): Buffer | null =>
  leaf.length === LEAF_LABEL.length + LEAF_CONTENT_BYTES && leaf.subarray(0, LEAF_LABEL.length).equals(LEAF_LABEL)
    ? leaf.subarray(LEAF_LABEL.length)
    : null

/**
 * Hashes the receipt as issued. UTF-8, because 'ascii' would map other characters to those of a receipt. Others cannot compute this hash, even if they know every fact in the receipt: it has
 * MACs under 32 random bytes of salt, and its signature is randomised.
 */
export const receiptLeaf = (jws: string): Buffer => opaqueLeaf(createHash('sha256').update(jws, 'utf8').digest())

/**
 * Builds the leaf of a receipt that another log also has. Only the receipt's proof contains the salt, so others cannot
 * link the two leaves.
 */
export const saltedReceiptLeaf = (jws: string, salt: Uint8Array): Buffer =>
  opaqueLeaf(createHmac('sha256', salt).update(jws, 'utf8').digest())

export const LEAF_SALT_BYTES = 32

export function eightBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
